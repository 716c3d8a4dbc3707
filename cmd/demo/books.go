package demo

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Of a hundred books, so many are unlisted, sold, or were sold and relisted after a
// cancellation. Recent orders are not delivered yet.
const (
	unlistedOf100  = 6
	soldBooksOf100 = 27
	returnedOf100  = 2
)

// How long a book waits for its buyer at most, and an order for its next status.
const (
	maxWait = 60 * 24 * time.Hour
	maxStep = 6 * 24 * time.Hour
)

// notificationAge is the age of the oldest notifications.
const notificationAge = 30 * 24 * time.Hour

// draft is a book for sale, before anything happens to it.
type draft struct {
	book book.Book
	part float64    // the share of all books that come before it
	r    *rand.Rand // decides what happens to it
}

// draft generates a book, the same one each time. Each book has a random source of its own: on
// a later date the order of one book may have another status, but the next book must not
// change.
func (g *generator) draft(id book.ID) draft {
	part := float64(id-1) / float64(g.Books)
	r := rand.New(rand.NewPCG(g.Seed^0xb00c, uint64(id)))
	at, seller := g.calendar.at(part), g.randomUser(r, part)
	return draft{book.Post(id, seller, g.university(int(seller)-1).name, g.details(r, at), at), part, r}
}

// newBook generates a book and schedules the events that concern it.
func (g *generator) newBook(id book.ID) book.Book {
	d := g.draft(id)
	if s := g.orderOf(&d); s != nil {
		if s.Live() {
			g.fillRequest(d.book, s.CreatedAt)
		}
		g.timeline.add(s.CreatedAt, event{book: int32(id)})
	}
	if d.book.Status == book.ForSale {
		g.eachMatch(d.book, func(i int, requested time.Time, reason book.Reason) {
			g.timeline.add(latest(d.book.CreatedAt, requested), event{
				book: int32(id), request: int32(i + 1), reason: uint8(slices.Index(matchReasons[:], reason)),
			})
		})
	}
	return d.book
}

// orderOf decides what happens to a book, and returns its order without an id; nil if there is
// none. It is called once for each draft.
func (g *generator) orderOf(d *draft) *demostore.Order {
	switch fate := d.r.IntN(100); {
	case fate < unlistedOf100:
		d.book.Status = book.Unlisted
	case fate < unlistedOf100+soldBooksOf100:
		return g.sell(d)
	case fate < unlistedOf100+soldBooksOf100+returnedOf100:
		return g.sellAndReturn(*d)
	}
	return nil
}

func (g *generator) details(r *rand.Rand, at time.Time) book.Details {
	w := g.catalog.popular(r)
	edition := max(1, w.edition-min(r.IntN(4), r.IntN(4)))
	d := book.Details{
		Name: titleAsWritten(r, w), Authors: w.authors, Course: courseAsWritten(r, w.course), Edition: edition, Condition: condition(r),
		Date: at.Truncate(24*time.Hour).AddDate(0, 0, r.IntN(14)), Comments: remarks[r.IntN(len(remarks))],
	}
	d.Price = g.tariff.price(w.dollars(edition, d.Condition, r), r)
	if r.IntN(5) > 0 {
		d.ISBN = w.isbn(edition)
	}
	return d
}

// titleAsWritten returns a title in one of the ways in which sellers write it.
func titleAsWritten(r *rand.Rand, w work) string {
	switch n := r.IntN(20); {
	case n == 0:
		return strings.ToLower(w.title)
	case n < 4:
		return w.title
	}
	return w.title + " (" + w.author + ")"
}

func courseAsWritten(r *rand.Rand, course string) string {
	switch r.IntN(12) {
	case 0:
		return strings.ReplaceAll(course, " ", "")
	case 1:
		return strings.ReplaceAll(course, " ", "-")
	case 2:
		return strings.ToLower(course)
	}
	return course
}

func condition(r *rand.Rand) book.Condition {
	return [...]book.Condition{
		book.New, book.LikeNew, book.LikeNew, book.Good, book.Good, book.Good, book.Good, book.Fair, book.Fair, book.Poor,
	}[r.IntN(10)]
}

// admin is the user who checks books and cancels orders, see userOf.
const admin = user.ID(2)

// sell finds a buyer and advances the order to its present status.
func (g *generator) sell(d *draft) *demostore.Order {
	s := g.place(d)
	if s == nil {
		return nil
	}
	at := s.CreatedAt
	for _, next := range []func(user.ID, time.Time) ([]order.Entry, error){s.Verify, s.Deliver} {
		if at = randomTimeAfter(at, maxStep, d.r); at.After(g.Now) || d.r.IntN(40) == 0 {
			break
		}
		s.Entries = append(s.Entries, entriesOf(next(admin, at))...)
	}
	d.book.Status = book.Status(s.Status) // a live order has the status of its book
	s.Of = d.book
	return s
}

// sellAndReturn sells a book and cancels the order, so that the book is for sale again; d is
// a copy.
func (g *generator) sellAndReturn(d draft) *demostore.Order {
	s := g.place(&d)
	if s == nil {
		return nil
	}
	at := s.CreatedAt
	if d.r.IntN(2) == 0 {
		if at = randomTimeAfter(at, maxStep, d.r); at.After(g.Now) {
			return nil
		}
		s.Entries = append(s.Entries, entriesOf(s.Verify(admin, at))...)
	}
	if at = randomTimeAfter(at, maxStep, d.r); at.After(g.Now) {
		return nil
	}
	s.Entries = append(s.Entries, entriesOf(s.Cancel(admin, reasons[d.r.IntN(len(reasons))], at))...)
	s.Of = d.book
	return s
}

// place has a random user buy the book; nil if the user sells it or has requested it, or if the
// sale would be in the future.
func (g *generator) place(d *draft) *demostore.Order {
	at := randomTimeAfter(d.book.CreatedAt, maxWait, d.r)
	buyer := g.randomUser(d.r, d.part)
	if at.After(g.Now) || g.isWantedBy(buyer, d.book) || d.book.Buy(buyer) != nil {
		return nil
	}
	return &demostore.Order{Order: order.Place(0, d.book, g.Fee, at)} // apply sets the id
}

// randomTimeAfter returns a time after t, more often soon than late.
func randomTimeAfter(t time.Time, longest time.Duration, r *rand.Rand) time.Time {
	p := r.Float64()
	return t.Add(time.Minute + time.Duration(p*p*float64(longest))).Truncate(time.Microsecond)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// entriesOf ignores the error of a transition: all transitions here are legal.
func entriesOf(entries []order.Entry, _ error) []order.Entry { return entries }

// apply assigns the id of a due event and adds it to the batch.
func (g *generator) apply(e event) {
	if e.request == 0 {
		d := g.draft(book.ID(e.book))
		g.addOrder(*g.orderOf(&d))
		return
	}
	at := time.UnixMicro(e.at).UTC()
	m := book.Match{
		ID: int64(g.totals.Matches + len(g.batch.Matches) + 1), Book: book.ID(e.book), Request: book.RequestID(e.request),
		Owner: g.requestOwner(int(e.request) - 1), Reason: matchReasons[e.reason], CreatedAt: at,
	}
	g.batch.Matches = append(g.batch.Matches, m)
	if g.isRecent(at) {
		g.notify(notification.About(notification.MatchFound, m.Owner, m.Book, g.draft(m.Book).book.Name, at))
	}
}

func (g *generator) addOrder(s demostore.Order) {
	s.ID = order.ID(g.totals.Orders + len(g.batch.Orders) + 1)
	for i := range s.Entries {
		s.Entries[i].Order = s.ID
	}
	g.batch.Orders = append(g.batch.Orders, s)
	g.noteOrder(s.Order)
	if g.isRecent(s.CreatedAt) {
		g.notify(notification.About(notification.BookSold, s.Seller, s.Book, s.Name, s.CreatedAt))
		g.notify(notification.About(notification.PurchasePlaced, s.Buyer, s.Book, s.Name, s.CreatedAt))
	}
}

// isRecent reports whether people are still notified of what happened then.
func (g *generator) isRecent(at time.Time) bool { return g.Now.Sub(at) < notificationAge }

func (g *generator) notify(n notification.Notification) {
	g.batch.Notifications = append(g.batch.Notifications, n)
}
