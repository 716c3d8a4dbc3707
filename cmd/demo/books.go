package demo

import (
	"math/rand/v2"
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

// newBook generates a book and schedules the events that concern it.
func (g *generator) newBook(id book.ID, part float64, at time.Time) book.Book {
	// Each book has a random source of its own: on a later date the order of one book may
	// have another status, but the next book must not change.
	r := rand.New(rand.NewPCG(g.Seed^0xb00c, uint64(id)))
	seller := g.randomUser(r, part)
	b := book.Post(id, seller, g.university(int(seller)-1).name, g.details(r, at), at)
	switch fate := r.IntN(100); {
	case fate < unlistedOf100:
		b.Status = book.Unlisted
	case fate < unlistedOf100+soldBooksOf100:
		g.sell(&b, part, r)
	case fate < unlistedOf100+soldBooksOf100+returnedOf100:
		g.sellAndReturn(b, part, r)
	}
	if b.Status == book.ForSale {
		g.planned.eachMatch(b, func(r *demostore.Request, reason book.Reason) {
			m := book.Match{Book: b.ID, Request: r.ID, Owner: r.Owner, Reason: reason, CreatedAt: latest(at, r.CreatedAt)}
			g.timeline.add(event{at: m.CreatedAt, match: m, name: b.Name})
		})
	}
	return b
}

func (g *generator) details(r *rand.Rand, at time.Time) book.Details {
	w := g.catalog.popular(r)
	edition := max(1, w.edition-min(r.IntN(4), r.IntN(4)))
	d := book.Details{
		Name: titleAsWritten(r, w), Course: courseAsWritten(r, w.course), Edition: edition, Condition: condition(r),
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
	return [...]book.Condition{book.New, book.LikeNew, book.LikeNew, book.Good, book.Good, book.Good, book.Good, book.Fair, book.Fair, book.Poor}[r.IntN(10)]
}

// admin is the user who checks books and cancels orders, see userOf.
const admin = user.ID(2)

// sell finds a buyer and advances the order to its present status.
func (g *generator) sell(b *book.Book, part float64, r *rand.Rand) {
	o, ok := g.place(b, part, r)
	if !ok {
		return
	}
	g.fillRequest(*b, o.CreatedAt)
	s := &demostore.Order{Order: o}
	g.timeline.add(event{at: o.CreatedAt, sale: s})
	at := o.CreatedAt
	for _, next := range []func(user.ID, time.Time) ([]order.Entry, error){s.Verify, s.Deliver} {
		if at = randomTimeAfter(at, maxStep, r); at.After(g.Now) || r.IntN(40) == 0 {
			break
		}
		s.Entries = append(s.Entries, entriesOf(next(admin, at))...)
	}
	b.Status = book.Status(s.Status) // a live order has the status of its book
}

// sellAndReturn sells a book and cancels the order, so that the book is for sale again; b is
// a copy.
func (g *generator) sellAndReturn(b book.Book, part float64, r *rand.Rand) {
	o, ok := g.place(&b, part, r)
	if !ok {
		return
	}
	s := &demostore.Order{Order: o}
	at := o.CreatedAt
	if r.IntN(2) == 0 {
		if at = randomTimeAfter(at, maxStep, r); at.After(g.Now) {
			return
		}
		s.Entries = append(s.Entries, entriesOf(s.Verify(admin, at))...)
	}
	if at = randomTimeAfter(at, maxStep, r); at.After(g.Now) {
		return
	}
	s.Entries = append(s.Entries, entriesOf(s.Cancel(admin, reasons[r.IntN(len(reasons))], at))...)
	g.timeline.add(event{at: o.CreatedAt, sale: s})
}

// place has a random user buy the book; false if the user sells it or has requested it, or
// if the sale would be in the future.
func (g *generator) place(b *book.Book, part float64, r *rand.Rand) (order.Order, bool) {
	at := randomTimeAfter(b.CreatedAt, maxWait, r)
	buyer := g.randomUser(r, part)
	if at.After(g.Now) || g.planned.isWantedBy(buyer, *b) || b.Buy(buyer) != nil {
		return order.Order{}, false
	}
	return order.Place(0, *b, g.Fee, at), true // apply sets the id
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
	if e.sale != nil {
		g.addOrder(e.sale)
		return
	}
	e.match.ID = int64(g.totals.Matches + len(g.batch.Matches) + 1)
	g.batch.Matches = append(g.batch.Matches, e.match)
	g.notify(notification.About(notification.MatchFound, e.match.Owner, e.match.Book, e.name, e.at))
}

func (g *generator) addOrder(s *demostore.Order) {
	s.ID = order.ID(g.totals.Orders + len(g.batch.Orders) + 1)
	for i := range s.Entries {
		s.Entries[i].Order = s.ID
	}
	g.batch.Orders = append(g.batch.Orders, *s)
	g.notify(notification.About(notification.BookSold, s.Seller, s.Book, s.Name, s.CreatedAt))
	g.notify(notification.About(notification.PurchasePlaced, s.Buyer, s.Book, s.Name, s.CreatedAt))
}

func (g *generator) notify(n notification.Notification) {
	if g.Now.Sub(n.CreatedAt) < notificationAge {
		g.batch.Notifications = append(g.batch.Notifications, n)
	}
}
