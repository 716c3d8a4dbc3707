// Package report defines reports: what somebody finds wrong with a book, a person, a
// conversation or an order, what they saw of it, and what an admin decided.
package report

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/text/unicode/norm"
)

// ID identifies a report. Ids ascend in the order of reporting.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// The bounds of reports.
const (
	MaxText = 1000 // characters of the reporter's words
	MaxNote = 300  // characters of an admin's note, as of the reason of a suspension

	// MaxPhotos bounds the photos of a report about an order.
	MaxPhotos = 4

	// Life is how long a report is stored after an admin decided about it.
	Life = 2 * 365 * 24 * time.Hour
	// TrustGap is how long an upheld report hides how others rated the person.
	TrustGap = 365 * 24 * time.Hour
)

// PerDay bounds the reports of one person.
var PerDay = limit.Quota{Name: "reports", Max: 10, Period: 24 * time.Hour}

// Threshold says when reports take a book off sale until an admin decides.
type Threshold struct {
	Reports  int          // open ones, of people who count; 0: never
	MinPrice money.Amount // from which a sale counts
}

// A reporter counts for a Threshold by sales to or from MinPartners people, each delivered
// MinSaleAge ago or earlier: accounts that are made for it cannot unlist a book.
const (
	MinPartners = 2
	MinSaleAge  = 7 * 24 * time.Hour
)

// Kind is the kind of thing that is reported. The numbers are stored.
type Kind int

// The kinds.
const (
	Book         Kind = 1
	Person       Kind = 2
	Conversation Kind = 3
	// Order is a sale between the reporter and the person who is responsible. The two read each other's reports
	// about it.
	Order Kind = 4
)

// String names the kind.
func (k Kind) String() string { return [...]string{"", "book", "person", "conversation", "order"}[k] }

// Target is what is reported: the id is that of a book, a user, a conversation or an order.
type Target struct {
	Kind Kind
	ID   int64
}

// Reason says what is wrong. The texts are stored and sent over the wire.
type Reason string

// The reasons.
const (
	Spam       Reason = "spam"
	Prohibited Reason = "prohibited"
	Wrong      Reason = "wrong" // not as described
	Abuse      Reason = "abuse"
	Other      Reason = "other"
)

// Reasons returns all reasons in the order in which a form shows them.
func Reasons() []Reason { return []Reason{Spam, Prohibited, Wrong, Abuse, Other} }

// Action is the decision of an admin. The texts are stored and sent over the wire.
type Action string

// The actions.
const (
	Dismiss Action = "dismiss" // nothing is wrong: a book that reports have hidden is for sale again
	Warn    Action = "warn"    // mails the note to the person; a hidden book is for sale again
	Unlist  Action = "unlist"  // takes the book off sale until an admin relists it
	Suspend Action = "suspend" // suspends the account of the person
)

// Actions returns all actions.
func Actions() []Action { return []Action{Dismiss, Warn, Unlist, Suspend} }

// Actions returns the actions that this kind of report allows: only a book can be unlisted.
func (k Kind) Actions() []Action {
	if k == Book {
		return Actions()
	}
	return []Action{Dismiss, Warn, Suspend}
}

// Report is what one person reported about one target.
type Report struct {
	ID        ID
	Reporter  user.ID
	Target    Target
	About     user.ID // the person who is responsible for the target
	Reason    Reason
	Text      string // the reporter's words; may be empty
	Seen      Seen
	Hid       bool // it has taken a book off sale until an admin decides
	CreatedAt time.Time
	// University is that of the book or order when it was reported, otherwise that of the person: its
	// admins look after the report, whatever moves since.
	University string
	// Order is what the reporter and the person buy and sell, if it or the person is the target; 0: not said.
	Order order.ID

	Action     Action // empty: open
	Note       string
	ResolvedBy user.ID
	ResolvedAt time.Time // zero: open
}

// Seen is the target at the time of the report. Later changes do not alter it.
type Seen struct {
	Book     *SeenBook     // of a book or an order
	Person   SeenPerson    // who is responsible
	Messages []SeenMessage // of a conversation, or about the book of an order, oldest first
}

// SeenBook is a book as it was.
type SeenBook struct {
	Name, Course, ISBN, Condition string
	Edition                       int
	Price                         string // with the code of its currency: "12.50 USD"
	Comments, University          string
	Photos                        []int64 // their ids
}

// SawBook returns what there is to see of a book and its photos now.
func SawBook(b book.Book, c money.Currency, photos []photo.Photo) SeenBook {
	seen := SeenBook{
		Name: b.Name, Course: b.Course, ISBN: string(b.ISBN), Condition: b.Condition.String(), Edition: b.Edition,
		Price: c.Format(b.Price) + " " + c.Code(), Comments: b.Comments, University: b.University,
	}
	for _, p := range photos {
		seen.Photos = append(seen.Photos, int64(p.ID))
	}
	return seen
}

// SeenPerson is what everybody could see of a person.
type SeenPerson struct {
	FirstName, University string
}

// SeenMessage is a message as the reporter could read it.
type SeenMessage struct {
	From      user.ID
	FirstName string
	Text      string
	CreatedAt time.Time
}

// MaxMessages is how many messages of a conversation a report has: the last ones.
const MaxMessages = 50

// The errors of reports.
var (
	ErrNotFound = fault.New(fault.NotFound, "report_not_found", "This report does not exist.")
	// ErrTarget refuses a report without exactly one target.
	ErrTarget = fault.New(fault.Invalid, "report_target", "Report exactly one book, person, conversation or order.").
			WithField("bookId", "Give exactly one of bookId, userId and conversationId, or orderId alone.")
	ErrReason = fault.New(fault.Invalid, "report_reason", "Choose what is wrong.").
			WithField("reason", "Must be spam, prohibited, wrong, abuse or other.")
	ErrText = fault.New(fault.Invalid, "report_text", "Use at most 1,000 characters.").
		WithField("text", "Must be at most 1,000 characters without control characters.")
	ErrOwn      = fault.New(fault.Conflict, "own_report", "You cannot report yourself or your own book.")
	ErrReported = fault.New(fault.Conflict, "already_reported", "You have reported this already. We will look at it.")

	ErrAction = fault.New(fault.Invalid, "report_action", "This cannot be done about this report.").
			WithField("action", "Must be dismiss, warn, suspend or, about a book, unlist.")
	ErrNote = fault.New(fault.Invalid, "report_note", "Give a note of at most 300 characters.").
		WithField("note", "Must be 1 to 300 characters without control characters.")
	ErrResolved = fault.New(fault.Conflict, "report_resolved", "An admin has already decided about this report.")
	// ErrAboutYou refuses an admin who decides about a report against themselves.
	ErrAboutYou = fault.New(fault.Forbidden, "report_about_you", "This report is about you. Another admin must decide.")
)

// New returns an open report with checked words.
func New(id ID, by user.ID, on Target, why Reason, words string, now time.Time) (Report, error) {
	if !slices.Contains(Reasons(), why) {
		return Report{}, ErrReason
	}
	words, err := cleanText(words)
	return Report{ID: id, Reporter: by, Target: on, Reason: why, Text: words, CreatedAt: now}, err
}

// Check refuses the target, reason and words of a report before anything is read.
func Check(on []Target, why Reason, words string) (Target, error) {
	if len(on) != 1 {
		return Target{}, ErrTarget
	}
	_, err := New(0, 0, on[0], why, words, time.Time{})
	return on[0], err
}

// cleanText returns the words in NFC, without hidden characters and surrounding spaces. They
// may have line breaks.
func cleanText(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", ErrText
	}
	s = strings.TrimSpace(text.StripHidden(norm.NFC.String(strings.ReplaceAll(s, "\r\n", "\n"))))
	if !text.FitsLines(s, MaxText) {
		return "", ErrText
	}
	return s, nil
}

// CleanNote returns a note in NFC and on one line, without hidden characters and surrounding spaces.
// Only a Dismiss may be without one: every other action is explained to the person.
func CleanNote(s string, of Action) (string, error) {
	s, ok := text.CleanLine(text.JoinLines(s), MaxNote)
	if !ok || text.Blank(s) && of != Dismiss || strings.ContainsRune(s, utf8.RuneError) {
		return "", ErrNote
	}
	return s, nil
}

// Open reports whether no admin has decided yet.
func (r Report) Open() bool { return r.ResolvedAt.IsZero() }

// Upheld reports whether an admin found something wrong.
func (r Report) Upheld() bool { return !r.Open() && r.Action != Dismiss }

// CheckAction refuses an action that the kind of report does not allow.
func (r Report) CheckAction(a Action) error {
	if !slices.Contains(r.Target.Kind.Actions(), a) {
		return ErrAction
	}
	return nil
}

// Affair returns what an admin decides about who resolves the report.
func (r Report) Affair() user.Affair {
	return user.Affair{University: r.University, Parties: []user.ID{r.Reporter, r.About}}
}

// ExplainRefusal returns the refusal of an admin who is a party to the report, or ErrAboutYou
// instead for the one whom it is about.
func (r Report) ExplainRefusal(by user.ID, refusal error) error {
	if errors.Is(refusal, user.ErrOwnAffair) && r.About == by {
		return ErrAboutYou
	}
	return refusal
}

// Resolve records the decision of an admin; ErrResolved if there is one already.
func (r *Report) Resolve(by user.ID, a Action, note string, now time.Time) error {
	if !r.Open() {
		return ErrResolved
	}
	r.Action, r.Note, r.ResolvedBy, r.ResolvedAt = a, note, by, now
	return nil
}

// ForgetReporter removes the words of the reporter, whose account is deleted. The report
// itself remains. The book of an order may have been the reporter's.
func (r *Report) ForgetReporter() {
	r.Text = ""
	if r.Target.Kind == Order && r.Seen.Book != nil {
		b := *r.Seen.Book
		b.Comments, b.Photos = "", nil
		r.Seen.Book = &b
	}
	messages := slices.Clone(r.Seen.Messages)
	for i := range messages {
		if messages[i].From == r.Reporter {
			messages[i].FirstName, messages[i].Text = "", ""
		}
	}
	r.Seen.Messages = messages
}
