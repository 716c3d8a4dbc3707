package order_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var now = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

func placed(t testing.TB, price money.Amount, rate order.FeeRate) order.Order {
	t.Helper()
	b := book.Post(7, 1, "Rochester", book.Details{Name: "Calculus", Price: price}, now)
	must.Do(t, b.Buy(2))
	return order.Place(9, b, rate, now)
}

func TestNoSequenceOfMovesUnbalancesTheLedger(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		price := money.Amount(rapid.Int64Range(1, 1_000_000).Draw(r, "price"))
		o := placed(t, price, order.FeeRate(rapid.IntRange(0, 10_000).Draw(r, "rate")))
		var total, seen order.Balances
		for range rapid.IntRange(0, 6).Draw(r, "length") {
			was := o
			entries, err := move(&o, rapid.SampledFrom([]string{"verify", "deliver", "cancel"}).Draw(r, "move"))
			if err != nil && (o != was || len(entries) > 0 || !errors.Is(err, order.ErrTransition)) {
				r.Fatalf("a refused move changed %+v to %+v (%v)", was, o, err)
			}
			sums := map[order.Movement]money.Amount{}
			for _, e := range entries {
				sums[e.Movement] += e.Amount
				total.Add(e.Account, e.Amount)
			}
			for m, sum := range sums {
				if sum != 0 {
					r.Fatalf("movement %d sums to %d, want 0", m, sum)
				}
			}
			if total != o.ExpectedBalances() {
				r.Fatalf("status %d: the ledger has %s, expected %s", o.Status, total, o.ExpectedBalances())
			}
		}
		if sum := total.Buyers + total.Escrow + total.Fees + total.Sellers; sum != 0 || total.Escrow < 0 || seen.Add(9, 1) {
			r.Fatalf("accounts %s", total)
		}
	})
}

func move(o *order.Order, name string) ([]order.Entry, error) {
	switch name {
	case "verify":
		return o.Verify(3, now)
	case "deliver":
		return o.Deliver(3, now)
	}
	return o.Cancel(3, "because", now)
}

func TestBuyersAndSellersCancelOnlyBeforeTheCheck(t *testing.T) {
	o := placed(t, 1000, 500)
	if !o.Involves(1) || !o.Involves(2) || o.Involves(3) || o.Involves(0) {
		t.Error("the order involves the wrong people")
	}
	early := o
	if err := early.Withdraw(2, "found another copy", now); err != nil || early.Status != order.Cancelled || early.CancelledBy != 2 {
		t.Errorf("%v: %+v", err, early)
	}
	must.Get(o.Verify(3, now))(t)
	was := o
	if err := o.Withdraw(2, "too late", now); !errors.Is(err, order.ErrTransition) || o != was {
		t.Errorf("%v: %+v", err, o)
	}
}

func TestTheFeeIsRoundedHalfUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.Int64Range(0, 1_000_000).Draw(t, "price")
		rate := rapid.Int64Range(0, 10_000).Draw(t, "rate")
		exact := new(big.Rat).SetFrac64(price*rate, 10_000)
		half := new(big.Rat).Add(exact, big.NewRat(1, 2))
		want := new(big.Int).Div(half.Num(), half.Denom())
		if got := order.FeeRate(rate).Of(money.Amount(price)); int64(got) != want.Int64() {
			t.Fatalf("%d at %d is %d, want %s", price, rate, got, want)
		}
	})
	for rate, ok := range map[order.FeeRate]bool{-1: false, 0: true, 500: true, 10_000: true, 10_001: false} {
		if err := rate.Validate(); (err == nil) != ok {
			t.Errorf("rate %d: %v", rate, err)
		}
	}
}

func TestAnOrderRecordsWhenItsStatusChanged(t *testing.T) {
	o := placed(t, 1000, 500)
	first := o
	if o.Total() != 1050 || !o.Live() {
		t.Errorf("%+v", o)
	}
	_, err1 := o.Verify(3, now.Add(1))
	_, err2 := o.Cancel(4, "water", now.Add(2))
	if err1 != nil || err2 != nil || !o.VerifiedAt.Equal(now.Add(1)) || !o.CancelledAt.Equal(now.Add(2)) || o.Reason != "water" || o.VerifiedBy != 3 || o.CancelledBy != 4 || o.Live() {
		t.Errorf("%+v, %v, %v", o, err1, err2)
	}
	if o.AsPlaced() != first {
		t.Errorf("as placed %+v, want %+v", o.AsPlaced(), first)
	}
}

func TestAReasonMustBeShortAndNotBlank(t *testing.T) {
	for s, ok := range map[string]bool{
		"no show": true, strings.Repeat("é", 500): true, strings.Repeat("é", 501): false, "": false, " ": false, "a\nb": false, "a\xff": false, "\u202e": false,
	} {
		if got, err := order.CleanReason(s); (err == nil) != ok || ok && got != s {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	if got, err := order.CleanReason(" \u202eno show "); got != "no show" || err != nil {
		t.Errorf("%q, %v; want \"no show\"", got, err)
	}
}

func TestOnlyFourStatusesExist(t *testing.T) {
	for n := -3; n < 6; n++ {
		if _, ok := order.ParseStatus(n); ok != (n == -1 || n == 1 || n == 2 || n == 3) {
			t.Errorf("status %d: %v", n, ok)
		}
	}
}

func TestTheTimelineShowsWhoDidWhatAndWhatIsNext(t *testing.T) {
	o := placed(t, 1000, 500)
	check := func(next order.Next, left bool, want ...order.Moment) {
		t.Helper()
		if got := o.Timeline(); !slices.Equal(got, want) {
			t.Errorf("the timeline is %v, want %v", got, want)
		}
		if got, ok := o.Next(); got != next || ok != left {
			t.Errorf("next is %v, %v", got, ok)
		}
	}
	bought := order.Moment{At: now, Step: order.StepPlaced, By: 2}
	check(order.Next{Who: order.SellerSide, What: order.HandIn}, true, bought)
	_, _ = o.Verify(3, now.Add(1))
	checked := order.Moment{At: now.Add(1), Step: order.StepVerified, By: 3}
	check(order.Next{Who: order.BuyerSide, What: order.PickUp}, true, bought, checked)
	refunded := o
	_, _ = o.Deliver(4, now.Add(2))
	check(order.Next{}, false, bought, checked, order.Moment{At: now.Add(2), Step: order.StepDelivered, By: 4})
	o = refunded
	_, _ = o.Cancel(5, "water damage", now.Add(2))
	check(order.Next{}, false, bought, checked, order.Moment{At: now.Add(2), Step: order.StepCancelled, By: 5}, order.Moment{At: now.Add(2), Step: order.StepRefunded, By: 5})
	o = placed(t, 1000, 500)
	_ = o.Withdraw(2, "found it in the library", now.Add(1))
	check(order.Next{}, false, bought, order.Moment{At: now.Add(1), Step: order.StepCancelled, By: 2})
}

func TestEachDeliveredPurchaseAllowsAnotherOpenOne(t *testing.T) {
	for _, c := range []struct {
		limit           order.PurchaseLimit
		open, delivered int
		more            int
		allowed         bool
	}{
		{10, 0, 0, 10, true}, {10, 0, 0, 11, false}, {10, 9, 0, 1, true}, {10, 10, 0, 1, false},
		{10, 10, 3, 3, true}, {10, 10, 3, 4, false}, {10, 0, 50, 50, true}, {10, 0, 50, 51, false},
		{80, 0, 0, 80, true}, {80, 0, 50, 81, false}, {0, 500, 0, 100, true},
	} {
		if got := c.limit.Allows(order.Purchases{Open: c.open, Delivered: c.delivered}, c.more); got != c.allowed {
			t.Errorf("limit %d, %d open, %d delivered, %d more: %v, want %v", c.limit, c.open, c.delivered, c.more, got, c.allowed)
		}
	}
}
