package pairs_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// The universities.
const (
	here  = "University of Rochester"
	there = "Elsewhere College"
)

// world is a market in which a listing, sales and a report wait for somebody to act.
type world struct {
	*contract.MarketFixture
	engine

	role  role
	actor user.Caller

	seller, buyer, reporter user.Caller
	watcher, rival          user.Caller // has a saved search; buys what others want
	abel, chief             user.Caller // an admin and an owner, who are never the actor

	listed, off, held, reported book.Book
	placed, delivered, agreed   buying.Receipt
	placedBook, verifiedBook    book.ID
	agreedBook, metBook         book.ID      // to be handed over with a code, and handed over
	code                        meeting.Code // of the agreed one
	report                      report.ID
	offer                       offer.ID // of the reporter for the listed book
	chat                        conversation.ID
	key                         market.IdempotencyKey
	bad                         int64 // of a job that always fails

	// what the act returned
	receipt buying.Receipt
	talk    conversation.ID
	added   report.ID
}

// build builds the world in which somebody acts in a role.
func build(t *testing.T, r role, e engine) *world {
	t.Helper()
	w := &world{MarketFixture: contract.NewMarketFixture(e.backend), engine: e, role: r, key: market.IdempotencyKey{Value: "key"}}
	w.bad = w.IDs.Next() // so that it comes before all other work
	w.addJob(t, job.Job{ID: w.IDs.Next(), Kind: market.MatchBook, Subject: 999_999_999, Args: "{}", DueAt: w.Clock.Now()})
	w.join(t)
	w.list(t)
	w.sell(t)
	w.report = must.Get(w.Reports.Add(t.Context(), w.reporter, guarding.ReportDraft{
		Targets: []report.Target{{Kind: report.Book, ID: int64(w.reported.ID)}}, Reason: report.Wrong, Text: "Wrong.",
	}))(t)
	w.offer = must.Get(w.Offers.Make(t.Context(), w.reporter, w.listed.ID, w.listed.Price-100, ""))(t).ID
	switch {
	case r.nobody:
		w.actor = user.Caller{}
	case r.application:
		w.actor.Client, w.actor.Scopes = "an application", "openid profile"
	case r.suspended:
		w.suspend(t, w.actor)
	}
	return w
}

func (w *world) join(t *testing.T) {
	t.Helper()
	one := func(name string, p party) user.Caller {
		university, rank := here, user.Regular
		if p == w.role.as {
			rank = w.role.rank
		}
		if p == w.role.as && w.role.elsewhere {
			university = there
		}
		return w.joinAt(t, name, university, rank)
	}
	w.seller, w.buyer, w.reporter = one("ann", seller), one("bob", buyer), one("eve", reporter)
	w.actor = map[party]user.Caller{seller: w.seller, buyer: w.buyer, reporter: w.reporter}[w.role.as]
	if w.role.as == outsider {
		w.actor = one("sue", outsider)
	}
	w.watcher, w.rival = w.joinAt(t, "wes", here, user.Regular), w.joinAt(t, "rob", here, user.Regular)
	w.abel, w.chief = w.joinAt(t, "abel", here, user.Admin), w.joinAt(t, "chief", here, user.Owner)
	must.Get(w.SavedSearches.Save(t.Context(), w.watcher, savedsearch.Draft{Course: "CSC 172"}, false))(t)
}

// joinAt creates an account where admins look after the university of their profile.
func (w *world) joinAt(t *testing.T, name, university string, rank user.Role) user.Caller {
	t.Helper()
	c := w.JoinAt(t, name, university, rank)
	c.CampusOnly, c.University = true, university
	return c
}

func (w *world) list(t *testing.T) {
	t.Helper()
	post := func(name string) book.Book { return w.Post(t, w.seller, contract.Draft(name, "CSC 172", 2000)).Book }
	w.listed, w.off, w.held, w.reported = post("Listed"), post("Off"), post("Held"), post("Reported")
	must.Get(w.Listings.Unlist(t.Context(), w.seller, w.off.ID))(t)
	all, err := w.BookAdmin.Unlist(t.Context(), w.chief, []book.ID{w.held.ID}, "To be checked.")
	if err == nil {
		err = all[0].Err
	}
	must.Do(t, err)
}

func (w *world) sell(t *testing.T) {
	t.Helper()
	sold := func(name string) (buying.Receipt, book.ID) {
		id := w.Post(t, w.seller, contract.Draft(name, "CSC 172", 3000)).ID
		return w.Buy(t, w.buyer, id), id
	}
	confirm := func(id book.ID) { must.Get(w.Orders.Confirm(t.Context(), w.chief, id))(t) }
	w.placed, w.placedBook = sold("Placed")
	_, w.verifiedBook = sold("Verified")
	confirm(w.verifiedBook)
	delivered, id := sold("Delivered")
	confirm(id)
	must.Get(w.Orders.SetPaid(t.Context(), w.chief, id))(t)
	w.delivered = delivered
	w.agreed, w.agreedBook = sold("Agreed")
	met, id := sold("Met")
	w.metBook, w.code = id, w.meet(t, w.agreed.Orders[0])
	must.Get(w.Meetings.Confirm(t.Context(), w.seller, met.Orders[0].ID, string(w.meet(t, met.Orders[0]))))(t)
	m := must.Get(w.Conversations.Send(t.Context(), w.buyer, talking.Addressee{Book: w.placedBook}, "Hello"))(t)
	w.chat = m.Conversation
}

// meet lets buyer and seller agree to meet now, and returns the code of the buyer.
func (w *world) meet(t *testing.T, o market.OrderView) meeting.Code {
	t.Helper()
	ctx, at := t.Context(), w.Clock.Now().Add(30*time.Minute)
	place := must.Get(w.Meetings.SavePlace(ctx, w.chief, meeting.Place{University: here, Spot: meeting.Spot{Name: "The café of " + o.ID.String(), Hours: "Always"}}))(t)
	v := must.Get(w.Meetings.Propose(ctx, w.buyer, o.ID, place.ID, at))(t)
	must.Get(w.Meetings.Accept(ctx, w.seller, v.Meeting.ID))(t)
	v = must.Get(w.Orders.Get(ctx, w.buyer, o.ID))(t)
	return w.Meetings.CodeFor(w.buyer, v.OrderView)
}

// other is the side with which the actor deals.
func (w *world) other() user.Caller {
	if w.role.as == seller {
		return w.buyer
	}
	return w.seller
}

// over returns the same world over a copy of its database.
func (w *world) over(db *gormstore.DB) *world {
	c := *w
	c.engine = over(db)
	c.MarketFixture = contract.NewMarketFixture(c.backend)
	c.Clock.Set(w.Clock.Now())
	for last := w.IDs.Next(); c.IDs.Next() < last; {
	}
	return &c
}
