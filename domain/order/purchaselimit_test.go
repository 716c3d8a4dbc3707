package order_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/order"
)

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
