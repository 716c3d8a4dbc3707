package order

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// PurchaseLimit is how many orders of a new buyer may be in status Placed at once. Each purchase
// that was delivered allows another one, up to MaxOpenPurchases. 0 allows any number.
type PurchaseLimit int

// MaxOpenPurchases bounds the orders in status Placed of a buyer, however many were delivered,
// unless the limit itself is higher.
const MaxOpenPurchases = 50

// ErrPurchaseLimit refuses a buyer who has too many orders in status Placed.
var ErrPurchaseLimit = fault.New(fault.Limited, "purchase_limit", "You have bought many books that you have not received yet. Please receive or cancel some of them first.").After(time.Hour)

// Purchases counts the orders of a buyer.
type Purchases struct {
	Open      int // in status Placed
	Delivered int // at most MaxOpenPurchases are counted
}

// Allows reports whether the buyer may place more orders.
func (l PurchaseLimit) Allows(p Purchases, more int) bool {
	return l <= 0 || p.Open+more <= min(int(l)+p.Delivered, max(int(l), MaxOpenPurchases))
}
