package demo

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
)

// Of a hundred books so many have been taken off the list, were sold, or were
// sold and came back. What was sold a short while ago is still on its way.
const (
	unlistedOf100  = 6
	soldBooksOf100 = 27
	returnedOf100  = 2
)

// How long a book waits for its buyer, and a sale for its next step, at most.
const (
	longestWait = 60 * 24 * time.Hour
	longestStep = 6 * 24 * time.Hour
)

// recent is how far back people have notifications.
const recent = 30 * 24 * time.Hour

// post makes a book, and what is going to happen to it.
func (f *filler) post(id book.ID, part float64, at time.Time) book.Book {
	// Each book has luck of its own: what the date changes for one, whose sale has
	// come a step further since, changes nothing for the next.
	r := rand.New(rand.NewPCG(f.Seed^0xb00c, uint64(id)))
	seller := f.somebody(r, part)
	b := book.Post(id, seller, f.school(int(seller)-1).name, f.details(r, at), at)
	switch fate := r.IntN(100); {
	case fate < unlistedOf100:
		b.Status = book.Unlisted
	case fate < unlistedOf100+soldBooksOf100:
		f.sell(&b, part, r)
	case fate < unlistedOf100+soldBooksOf100+returnedOf100:
		f.sellAndReturn(b, part, r)
	}
	if b.Status == book.ForSale {
		f.wishes.matching(b, func(w *demostore.Request, reason book.Reason) {
			pair := book.Match{Book: b.ID, Request: w.ID, Owner: w.Owner, Reason: reason, CreatedAt: latest(at, w.CreatedAt)}
			f.agenda.add(event{at: pair.CreatedAt, pair: pair, name: b.Name})
		})
	}
	return b
}

func (f *filler) details(r *rand.Rand, at time.Time) book.Details {
	w := f.catalog.popular(r)
	edition := max(1, w.edition-min(r.IntN(4), r.IntN(4)))
	d := book.Details{
		Name: asWritten(r, w), Course: courseAsWritten(r, w.course), Edition: edition, Condition: condition(r),
		Date: at.Truncate(24*time.Hour).AddDate(0, 0, r.IntN(14)), Comments: remarks[r.IntN(len(remarks))],
	}
	d.Price = w.price(edition, d.Condition, r)
	if r.IntN(5) > 0 {
		d.ISBN = w.isbn(edition)
	}
	return d
}

// asWritten is a title as different people write it.
func asWritten(r *rand.Rand, w work) string {
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

// sell finds a buyer and takes the sale as far as it has come by now.
func (f *filler) sell(b *book.Book, part float64, r *rand.Rand) {
	o, ok := f.place(b, part, r)
	if !ok {
		return
	}
	f.fill(*b, o.CreatedAt)
	s := &demostore.Sale{Order: o}
	f.agenda.add(event{at: o.CreatedAt, sale: s})
	at := o.CreatedAt
	for _, next := range []func(time.Time) ([]order.Entry, error){s.Verify, s.Deliver} {
		if at = later(at, longestStep, r); at.After(f.Now) || r.IntN(40) == 0 {
			break
		}
		s.Entries = append(s.Entries, entriesOf(next(at))...)
	}
	b.Status = book.Status(s.Status) // a live order's is its book's
}

// sellAndReturn sells a book whose sale was cancelled, so that it is for sale
// again; b is a copy.
func (f *filler) sellAndReturn(b book.Book, part float64, r *rand.Rand) {
	o, ok := f.place(&b, part, r)
	if !ok {
		return
	}
	s := &demostore.Sale{Order: o}
	at := o.CreatedAt
	if r.IntN(2) == 0 {
		if at = later(at, longestStep, r); at.After(f.Now) {
			return
		}
		s.Entries = append(s.Entries, entriesOf(s.Verify(at))...)
	}
	if at = later(at, longestStep, r); at.After(f.Now) {
		return
	}
	s.Entries = append(s.Entries, entriesOf(s.Cancel(reasons[r.IntN(len(reasons))], at))...)
	f.agenda.add(event{at: o.CreatedAt, sale: s})
}

// place has somebody buy the book who neither sells it nor has requested it.
func (f *filler) place(b *book.Book, part float64, r *rand.Rand) (order.Order, bool) {
	at := later(b.CreatedAt, longestWait, r)
	buyer := f.somebody(r, part)
	if at.After(f.Now) || f.wishes.wantedBy(buyer, *b) || b.Buy(buyer) != nil {
		return order.Order{}, false
	}
	return order.Place(0, *b, f.Fee, at), true // the id comes when it happens
}

// later is soon after t more often than long after it.
func later(t time.Time, longest time.Duration, r *rand.Rand) time.Time {
	p := r.Float64()
	return t.Add(time.Minute + time.Duration(p*p*float64(longest))).Truncate(time.Microsecond)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// entriesOf drops the error of a step: sales take their steps in the legal order, so
// none is refused.
func entriesOf(entries []order.Entry, _ error) []order.Entry { return entries }

// happen gives ids to what is due and hands it over.
func (f *filler) happen(e event) {
	if e.sale != nil {
		f.settle(e.sale)
		return
	}
	e.pair.ID = int64(f.totals.Pairs + len(f.batch.Matches) + 1)
	f.batch.Matches = append(f.batch.Matches, e.pair)
	f.notify(notification.About(notification.MatchFound, e.pair.Owner, e.pair.Book, e.name, e.at))
}

func (f *filler) settle(s *demostore.Sale) {
	s.ID = order.ID(f.totals.Sales + len(f.batch.Sales) + 1)
	for i := range s.Entries {
		s.Entries[i].Order = s.ID
	}
	f.batch.Sales = append(f.batch.Sales, *s)
	f.notify(notification.About(notification.BookSold, s.Seller, s.Book, s.Name, s.CreatedAt))
	f.notify(notification.About(notification.PurchasePlaced, s.Buyer, s.Book, s.Name, s.CreatedAt))
}

func (f *filler) notify(n notification.Notification) {
	if f.Now.Sub(n.CreatedAt) < recent {
		f.batch.Notifications = append(f.batch.Notifications, n)
	}
}
