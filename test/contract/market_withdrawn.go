package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketWithdrawn checks what the market does when an account is suspended or about to be deleted.
func marketWithdrawn(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the books of a suspended seller are unlisted at once":                  suspendedSeller,
		"a suspension cancels the sales that no admin has verified yet":         suspendedSales,
		"a directory's suspension cancels sales, too, and no admin has done it": directorySuspends,
		"a suspension puts back on sale what was bought and not verified yet":   suspendedPurchases,
		"a suspended user cannot change anything":                               suspendedActs,
		"an order that is cancelled does not relist a suspended seller's book":  suspendedCancel,
		"books of a seller who is about to leave are unlisted, too":             leavingSeller,
		"a suspended user gets no mail about books, but about orders":           suspendedMails,
	})
}

// Suspend suspends an account as the auth service does, or ends that if at is zero.
func Suspend(ctx context.Context, in authrooms.Storage, at, now time.Time, who user.ID) error {
	return change(ctx, in, now, user.Withdrawal{User: who, SuspendedBy: suspendedBy}, func(u *user.User) { u.SuspendedAt = at })
}

// suspendedBy is the admin of Suspend.
const suspendedBy = 900001

// change changes an account and withdraws the user from the market.
func change(ctx context.Context, in authrooms.Storage, now time.Time, w user.Withdrawal, with func(*user.User)) error {
	return in.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		u, err := st.LockUser(ctx, w.User)
		if err != nil {
			return err
		}
		with(&u)
		if err := st.SaveUser(ctx, u); err != nil || !u.Suspended() && !u.Leaving() {
			return err
		}
		return in.AccountStore(st).WithdrawUser(ctx, w, now)
	})
}

// leave plans the deletion of an account at its owner's request.
func (b *MarketFixture) leave(t *testing.T, who user.Caller) {
	t.Helper()
	must.Do(t, change(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), user.Withdrawal{User: who.ID}, func(u *user.User) { u.DeleteAt = b.Clock.Now().Add(user.DeletionDelay) }))
}

func (b *MarketFixture) suspend(t *testing.T, who user.Caller) {
	t.Helper()
	must.Do(t, Suspend(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), b.Clock.Now(), who.ID))
}

func suspendedSeller(t *testing.T, b *MarketFixture) {
	ann, eve := b.Join(t, "ann", user.Regular), b.Join(t, "eve", user.Regular)
	v := b.Post(t, ann, Draft("Organic Chemistry", "CHM 203", 1000))
	must.Do(t, b.Carts.Add(t.Context(), eve, v.ID))
	b.suspend(t, ann)
	if found := b.search(t, "organic chemistry"); len(found) != 0 {
		t.Errorf("for sale: %v", found)
	}
	if notified := b.NotificationsOf(t, eve); !slices.Contains(notified, notification.BookGone) {
		t.Errorf("the user with the book in the cart was notified of %v", notified)
	}
	if got := b.reasons(t, event.BookUnlisted); !slices.Equal(got, []string{"seller_unavailablefalse"}) {
		t.Errorf("reasons are %v", got)
	}
	must.Do(t, Suspend(t.Context(), b.Accounts(b.Deps), time.Time{}, b.Clock.Now(), ann.ID))
	if found := b.search(t, "organic chemistry"); len(found) != 0 {
		t.Errorf("the end of the suspension relisted %v", found)
	}
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
}

func directorySuspends(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	placed := b.Post(t, ann, Draft("Organic Chemistry", "CHM 203", 1000))
	b.Buy(t, bob, placed.ID)
	w := user.Withdrawal{User: ann.ID, ByOperator: true}
	must.Do(t, change(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), w, func(u *user.User) { u.SuspendedAt = b.Clock.Now() }))
	orders, _ := must.Get2(b.Orders.ListOwn(t.Context(), bob, buying.OwnOrders{Side: order.BuyerSide}, market.Page{}))(t)
	if len(orders) != 1 || orders[0].Status != order.Cancelled || orders[0].CancelledBy != 0 || orders[0].Reason == "" {
		t.Errorf("the orders are %+v", orders)
	}
	if !slices.Contains(b.MailsTo(t, "bob@rochester.edu"), message.OrderCancelled) {
		t.Error("the buyer was not notified")
	}
}

func suspendedSales(t *testing.T, b *MarketFixture) {
	ann, bob, dean, verified := b.aSale(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, verified.ID))(t)
	placed := b.Post(t, ann, Draft("Organic Chemistry", "CHM 203", 1000))
	b.Buy(t, bob, placed.ID)
	b.suspend(t, ann)
	for id, want := range map[book.ID]book.Status{placed.ID: book.Unlisted, verified.ID: book.Verified} {
		if h, err := b.BookAdmin.History(t.Context(), dean, id); err != nil || h.Status != want {
			t.Errorf("the book is in status %v, not %v, %v", h.Status, want, err)
		}
	}
	orders, _ := must.Get2(b.Orders.ListOwn(t.Context(), bob, buying.OwnOrders{Side: order.BuyerSide}, market.Page{}))(t)
	if len(orders) != 2 || orders[0].Status != order.Cancelled || orders[0].CancelledBy != suspendedBy || orders[0].Reason == "" || orders[1].Status != order.Verified {
		t.Errorf("the orders are %+v", orders)
	}
	if !slices.Contains(b.NotificationsOf(t, bob), notification.OrderCancelled) || !slices.Contains(b.MailsTo(t, "bob@rochester.edu"), message.OrderCancelled) {
		t.Error("the buyer was not notified")
	}
	must.Get(b.Orders.SetPaid(t.Context(), dean, verified.ID))(t)
	b.CheckLedger(t)
}

func suspendedPurchases(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	first := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	second := b.Post(t, eve, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, first.ID, second.ID)
	b.suspend(t, bob)
	if found := b.search(t, "calculus"); len(found) != 2 {
		t.Errorf("for sale: %v", found)
	}
	if !slices.Contains(b.NotificationsOf(t, ann), notification.OrderCancelled) {
		t.Error("the seller was not notified")
	}
	b.CheckLedger(t)
}

func suspendedActs(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	theirs := b.Post(t, bob, Draft("Physics", "PHY 121", 1000))
	b.suspend(t, ann)
	refused(t, must.Err(b.Listings.Post(t.Context(), ann, Draft("Algebra", "MTH 165", 1000))), user.ErrUnauthenticated)
	refused(t, b.Carts.Add(t.Context(), ann, theirs.ID), user.ErrUnauthenticated)
	refused(t, must.Err(b.Requests.Add(t.Context(), ann, book.RequestDraft{Name: "Physics", Course: "PHY 121"})), user.ErrUnauthenticated)
}

func suspendedCancel(t *testing.T, b *MarketFixture) {
	ann, _, dean, sold := b.aSale(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, sold.ID))(t)
	b.suspend(t, ann)
	v := must.Get(b.Orders.Cancel(t.Context(), dean, sold.ID, "the seller is suspended"))(t)
	if v.Status != book.Unlisted {
		t.Errorf("the book is %v, want %v", v.Status, book.Unlisted)
	}
	if got := b.reasons(t, event.BookUnlisted); !slices.Equal(got, []string{"seller_unavailablefalse"}) {
		t.Errorf("reasons are %v", got)
	}
	b.CheckLedger(t)
}

func leavingSeller(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, Draft("Organic Chemistry", "CHM 203", 1000))
	b.leave(t, ann)
	if found := b.search(t, "organic chemistry"); len(found) != 0 {
		t.Errorf("for sale: %v", found)
	}
}

func suspendedMails(t *testing.T, b *MarketFixture) {
	ann, _, dean, sold := b.aSale(t)
	eve := b.Join(t, "eve", user.Regular)
	for _, who := range []user.Caller{ann, eve} {
		must.Get2(b.Requests.Add(t.Context(), who, book.RequestDraft{Name: "Physics", Course: "PHY 121"}))(t)
	}
	must.Get(b.Orders.Confirm(t.Context(), dean, sold.ID))(t)
	b.suspend(t, ann)
	b.Post(t, b.Join(t, "zoe", user.Regular), Draft("Physics", "PHY 121", 1000))
	must.Get(b.Orders.SetPaid(t.Context(), dean, sold.ID))(t)
	mails := map[message.Kind][]user.Email{}
	for _, m := range b.Mails(t) {
		mails[m.Kind] = append(mails[m.Kind], m.To)
	}
	if got := mails[message.MatchFound]; len(got) != 1 || !strings.HasPrefix(string(got[0]), "eve@") {
		t.Errorf("the match is mailed to %v", got)
	}
	if !slices.ContainsFunc(mails[message.PaymentSent], func(to user.Email) bool { return strings.HasPrefix(string(to), "ann@") }) {
		t.Errorf("the payment is mailed to %v", mails[message.PaymentSent])
	}
}

// raceSuspended suspends the buyer or the seller of many orders while admins take some on and cancel others. None of the books
// is for sale by somebody who is suspended.
func raceSuspended(t *testing.T, b *MarketFixture) {
	dean := b.Join(t, "dean", user.Admin)
	for round := range 2 {
		ann, bob := b.Join(t, fmt.Sprint("ann", round), user.Regular), b.Join(t, fmt.Sprint("bob", round), user.Regular)
		sales := make([]market.BookView, 6)
		for i := range sales {
			sales[i] = b.Post(t, ann, Draft(fmt.Sprint("Calculus ", round, i), "MTH 161", 1000))
			b.Buy(t, bob, sales[i].ID)
		}
		leaves := []user.Caller{ann, bob}[round]
		must.Together(len(sales)+1, func(i int) {
			var err error
			switch {
			case i == len(sales):
				err = Suspend(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), b.Clock.Now(), leaves.ID)
			case i%2 == 0:
				_, err = b.Orders.Confirm(t.Context(), dean, sales[i].ID)
			default:
				_, err = b.Orders.Cancel(t.Context(), dean, sales[i].ID, "a test")
			}
			if err != nil && !errors.Is(err, book.ErrTransition) && !errors.Is(err, order.ErrTransition) {
				t.Error(err)
			}
		})
		b.CheckLedger(t)
		for _, v := range sales {
			left := must.Get(b.Ports.FindBookViews(t.Context(), v.ID))(t)[0]
			if sold := left.Status == book.Verified; !sold && left.Status != map[bool]book.Status{true: book.Unlisted, false: book.ForSale}[leaves.ID == ann.ID] {
				t.Errorf("round %d: the book is %v", round, left.Status)
			}
		}
	}
}
