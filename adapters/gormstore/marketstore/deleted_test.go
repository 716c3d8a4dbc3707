package marketstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// beforeCommit calls a function at the end of each transaction, before its commit.
type beforeCommit struct {
	market.Store
	run func()
}

func (b beforeCommit) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return b.Store.Atomically(ctx, func(ctx context.Context, s market.Stores) error {
		err := do(ctx, s)
		if err == nil {
			b.run()
		}
		return err
	})
}

// onceBlocked starts do, and returns when do has ended or waits for a lock. The channel is
// closed when do has ended.
func onceBlocked(t *testing.T, db *gormstore.DB, do func()) <-chan struct{} {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); do() }()
	_, read := db.SQL()
	for {
		select {
		case <-ended:
			return ended
		case <-t.Context().Done():
			return ended
		default:
		}
		var waiting int
		err := read.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil || waiting > 0 {
			return ended
		}
	}
}

// acts are calls of a user who is deleted at the same time. Each gets an unlisted book of
// the user and a book of another seller.
var acts = map[string]func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, mine, theirs book.ID) error{
	"post": func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, _, _ book.ID) error {
		return must.Err(in.Listings.Post(ctx, by, contract.Draft("Algebra", "MTH 165", 1000)))
	},
	"relist": func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, mine, _ book.ID) error {
		return must.Err(in.Listings.Relist(ctx, by, mine))
	},
	"request": func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, _, _ book.ID) error {
		return must.Err(in.Requests.Add(ctx, by, book.RequestDraft{Name: "Physics", Course: "PHY 121"}))
	},
	"send a message": func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, _, theirs book.ID) error {
		return must.Err(in.Conversations.Send(ctx, by, talking.Addressee{Book: theirs}, "Hello"))
	},
	"block": func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, _, theirs book.ID) error {
		found, err := p.FindBookViews(ctx, theirs)
		if err != nil {
			return err
		}
		return in.Blocks.Block(ctx, by, found[0].Seller)
	},
	"add to the cart": func(ctx context.Context, in *rooms.Market, p contract.MarketPorts, by user.Caller, _, theirs book.ID) error {
		return in.Carts.Add(ctx, by, theirs)
	},
	"buy": func(ctx context.Context, in *rooms.Market, _ contract.MarketPorts, by user.Caller, _, theirs book.ID) error {
		return must.Err(in.Checkout.Do(ctx, by, buying.Basket{Books: []book.ID{theirs}}))
	},
}

// campus is a market with a user who is about to be deleted.
func campus(t *testing.T, db *gormstore.DB) (b *contract.MarketFixture, ann user.Caller, mine, theirs book.ID) {
	t.Helper()
	b = contract.NewMarketFixture(emptied(t, db))
	ann, bob := b.Join(t, "Ann", user.Regular), b.Join(t, "Bob", user.Regular)
	mine = b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 500)).ID
	theirs = b.Post(t, bob, contract.Draft("Physics", "PHY 121", 500)).ID
	must.Get(b.Listings.Unlist(t.Context(), ann, mine))(t)
	return b, ann, mine, theirs
}

func TestADeletionWaitsForTheUsersCallAndRemovesItsResult(t *testing.T) {
	db := database.Postgres(t, migrations...)
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			b, ann, mine, theirs := campus(t, db)
			var deleted <-chan struct{}
			deps := b.Deps
			deps.Store = beforeCommit{deps.Store, func() { deleted = onceBlocked(t, db, func() { b.DeleteUser(t, ann) }) }}
			must.Do(t, act(t.Context(), b.Over(deps), b.Ports, ann, mine, theirs))
			<-deleted
			b.CheckNothingLeft(t, ann)
			b.CheckLedger(t)
		})
	}
}

func TestACallDuringTheDeletionOfItsUserWaitsAndIsRefused(t *testing.T) {
	db := database.Postgres(t, migrations...)
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			b, ann, mine, theirs := campus(t, db)
			var refusal error
			var ended <-chan struct{}
			leave(t, b, db, ann, func() {
				ended = onceBlocked(t, db, func() { refusal = act(t.Context(), b.Market, b.Ports, ann, mine, theirs) })
			})
			<-ended
			if !errors.Is(refusal, user.ErrUnauthenticated) {
				t.Errorf("got %v", refusal)
			}
			b.CheckNothingLeft(t, ann)
			b.CheckLedger(t)
		})
	}
}

// leave deletes a user, and runs then after the market has removed the user, before the
// commit.
func leave(t *testing.T, b *contract.MarketFixture, db *gormstore.DB, who user.Caller, then func()) {
	t.Helper()
	remove := marketstore.New(db, plain{}).OnUsersDeleted(b.Deps)
	identity := authstore.New(db, plain{}, func(tx *gorm.DB, ids []user.ID, now time.Time) error {
		err := remove(tx, ids, now)
		then()
		return err
	})
	must.Do(t, contract.Erase(t.Context(), identity, b.Clock.Now(), who.ID))
}

func TestACancellationDuringTheDeletionOfTheSellerDoesNotRelistTheBook(t *testing.T) {
	db := database.Postgres(t, migrations...)
	for name, cancel := range map[string]func(*contract.MarketFixture, user.Caller, func() error) error{
		"the cancellation first": func(b *contract.MarketFixture, seller user.Caller, cancel func() error) error {
			var deleted <-chan struct{}
			store := b.Deps.Store
			b.Orders = b.Over(market.Deps{
				Store: beforeCommit{store, func() { deleted = onceBlocked(t, db, func() { b.DeleteUser(t, seller) }) }}, Clock: b.Clock.Now, IDs: b.IDs.Next, Notifier: b.Deps.Notifier,
			}).Orders
			err := cancel()
			<-deleted
			return err
		},
		"the deletion first": func(b *contract.MarketFixture, seller user.Caller, cancel func() error) error {
			var err error
			var ended <-chan struct{}
			leave(t, b, db, seller, func() { ended = onceBlocked(t, db, func() { err = cancel() }) })
			<-ended
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := contract.NewMarketFixture(emptied(t, db))
			ann, bob, dean := b.Join(t, "Ann", user.Regular), b.Join(t, "Bob", user.Regular), b.Join(t, "Dean", user.Admin)
			sold := b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 500)).ID
			b.Buy(t, bob, sold)
			must.Do(t, cancel(b, ann, func() error { return must.Err(b.Orders.Cancel(t.Context(), dean, sold, "lost")) }))
			b.CheckNothingLeft(t, ann)
			b.CheckLedger(t)
		})
	}
}

// A post finds a request while its owner is deleted.
func TestNobodyIsNotifiedOfAMatchWithARequestThatIsBeingDeleted(t *testing.T) {
	db := database.Postgres(t, migrations...)
	for _, postFirst := range []bool{true, false} {
		b := contract.NewMarketFixture(emptied(t, db))
		ann, bob := b.Join(t, "Ann", user.Regular), b.Join(t, "Bob", user.Regular)
		b.Request(t, ann, book.RequestDraft{Name: "Physics", Course: "PHY 121"})
		b.Request(t, ann, book.RequestDraft{Name: "Physics II", Course: "PHY 121"})
		var ended <-chan struct{}
		if postFirst {
			deps := b.Deps
			deps.Store = beforeCommit{deps.Store, func() { ended = onceBlocked(t, db, func() { b.DeleteUser(t, ann) }) }}
			must.Get(b.Over(deps).Listings.Post(t.Context(), bob, contract.Draft("Physics", "PHY 121", 500)))(t)
		} else {
			leave(t, b, db, ann, func() {
				ended = onceBlocked(t, db, func() { b.Post(t, bob, contract.Draft("Physics", "PHY 121", 500)) })
			})
		}
		<-ended
		b.CheckNothingLeft(t, ann)
		if mails := b.MailsTo(t, "ann@rochester.edu"); len(mails) != 0 {
			t.Errorf("mailed %v", mails)
		}
		_, read := db.SQL()
		var matches int
		must.Do(t, read.QueryRow("SELECT count(*) FROM matches").Scan(&matches))
		if matches != 0 {
			t.Errorf("%d matches are left", matches)
		}
	}
}
