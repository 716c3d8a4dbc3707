package buying

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
)

// KnownPrice is a book in a cart with the price that the owner of the cart knows.
type KnownPrice struct {
	Book  book.ID
	Price money.Amount
}

// WaitingOrders selects orders that wait to be handed over.
type WaitingOrders struct {
	Reminded     bool      // those of whose people were reminded; else the others
	RemindedTill time.Time // of those: at this time or before
	PlacedTill   time.Time // at this time or before
	After        WaitingPosition
}

// WaitingPosition is the position of an order in a list of WaitingOrders.
type WaitingPosition struct {
	RemindedAt, CreatedAt time.Time
	ID                    order.ID
}

// WaitingOrder is an order that waits to be handed over, with the time at which its people have
// agreed to meet; zero: none.
type WaitingOrder struct {
	order.Order
	Agreed time.Time
}

// OrderSelection selects orders. The zero value selects all.
type OrderSelection struct {
	Status order.Status // 0: any
	Campus string
	Text   string // in the name of the book, or in the name or address of buyer or seller; case does not matter
}
