// Package savedsearch defines the searches that people save in order to be told of new books.
package savedsearch

import (
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a saved search. Ids ascend in the order of creation.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// subscription precedes the id in the name of a subscription.
const subscription = "search:"

// Subscription names the mails about the search: see message.ParamSubscription.
func (i ID) Subscription() string { return subscription + i.String() }

// ParseSubscription returns the search that a subscription is about; false if it is about none.
func ParseSubscription(s string) (ID, bool) {
	digits, ok := strings.CutPrefix(s, subscription)
	if !ok {
		return 0, false
	}
	n, ok := id.Parse(digits)
	return ID(n), ok
}

// Max is how many searches one person may save.
const Max = 50

// MailInterval is the shortest time between two mails about one search.
const MailInterval = 24 * time.Hour

// The errors of saved searches.
var (
	ErrNotFound = fault.New(fault.NotFound, "search_not_found", "This saved search does not exist.")
	ErrTooMany  = fault.New(fault.Conflict, "too_many_searches", "You can save at most 50 searches. Delete one first.")
	ErrInvalid  = fault.New(fault.Invalid, "search_invalid", "This search cannot be saved.")
	// ErrNoRequest refuses to request what a search finds if it names no book and no course.
	ErrNoRequest = fault.New(fault.Conflict, "search_not_requestable", "A request needs words or a course to look for.")
)

// Details are what a search looks for. An empty or zero field does not narrow it.
type Details struct {
	Query              string
	University, Course string
	Condition          book.Condition
	MinPrice, MaxPrice money.Amount
}

// Search is a saved search.
type Search struct {
	ID    ID
	Owner user.ID
	Details
	Mail      bool // mails new books; otherwise they are in the notifications only
	CreatedAt time.Time
	MailedAt  time.Time // the last mail; zero: none yet
	Unmailed  int       // books found since the last mail
}

// Find counts a new book that the search has found, and reports whether to mail it now.
func (s *Search) Find(now time.Time) bool {
	if !s.Mail {
		return false
	}
	s.Unmailed++
	return s.TakeMail(now)
}

// TakeMail reports whether to mail what was found since the last mail, and records that mail.
func (s *Search) TakeMail(now time.Time) bool {
	if !s.Mail || s.Unmailed == 0 || now.Before(s.MailedAt.Add(MailInterval)) {
		return false
	}
	s.MailedAt, s.Unmailed = now, 0
	return true
}

// SetMail switches the mails on or off.
func (s *Search) SetMail(on bool) { s.Mail, s.Unmailed = on, 0 }

// Fits reports whether the search lists a book: the same rules as those of the list of books.
func (d Details) Fits(b book.Book) bool {
	switch {
	case b.Status != book.ForSale,
		d.University != "" && text.Key(d.University) != text.Key(b.University),
		d.Course != "" && text.Key(d.Course) != text.Key(b.Course),
		d.Condition != 0 && d.Condition != b.Condition,
		b.Price < d.MinPrice, d.MaxPrice != 0 && b.Price > d.MaxPrice:
		return false
	case d.Query == "":
		return true
	}
	q, err := d.query()
	return err == nil && !q.Empty() && q.Finds(b)
}

// Request returns a request for what the search looks for.
func (d Details) Request() (book.RequestDraft, error) {
	draft := book.RequestDraft{Name: d.Query, Course: d.Course}
	q, err := d.query()
	if err != nil {
		return draft, err
	}
	draft.ISBN = string(q.ISBN)
	if draft.Name == "" {
		draft.Name = d.Course
	}
	if draft.Course == "" { // a query may be a course code; as a course, other words match nothing
		draft.Course = shorten(d.Query, book.MaxCourse)
	}
	if draft.Name == "" {
		return draft, ErrNoRequest
	}
	if d.MaxPrice != 0 {
		draft.MaxPrice = &d.MaxPrice
	}
	return draft, nil
}

func shorten(s string, most int) string {
	runes := []rune(s)
	return string(runes[:min(len(runes), most)])
}
