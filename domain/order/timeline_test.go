package order_test

import (
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/order"
)

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
