package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// CartStore stores carts.
type CartStore interface {
	// AddToCart adds a book to a cart, with the price that its owner now knows. A book that is
	// in it already gets only that price. If the cart has max other books, the error is
	// ErrCartFull.
	AddToCart(ctx context.Context, owner user.ID, b book.Book, max int, now time.Time) error
	// LowerCartPrices lowers the price of a book in at most n carts whose owners have ids
	// above after, and returns these owners in ascending order. It leaves out the carts with
	// a price of which it is no book.PriceDrop.
	LowerCartPrices(ctx context.Context, b book.Book, after user.ID, n int) ([]user.ID, error)
	// RemoveFromCart removes books from a cart, all of them if ids is empty.
	RemoveFromCart(ctx context.Context, owner user.ID, ids ...book.ID) error
	// ListCartPrices lists the books in a cart in ascending order, at most MaxCart.
	ListCartPrices(ctx context.Context, owner user.ID) ([]KnownPrice, error)
}

// CartReader reads carts.
type CartReader interface {
	// ListCartItems reads a whole cart, the last added item first. It leaves Available
	// false.
	ListCartItems(ctx context.Context, owner user.ID) ([]CartItem, error)
	CountCartItems(ctx context.Context, owner user.ID) (int, error)
}

// KnownPrice is a book in a cart with the price that the owner of the cart knows.
type KnownPrice struct {
	Book  book.ID
	Price money.Amount
}

// OrderStore stores orders and the ledger.
type OrderStore interface {
	// AddOrder stores a new order. If the book has a live order, the error is
	// book.ErrNotAvailable.
	AddOrder(ctx context.Context, o order.Order) error
	// LockOrder loads and locks the live order of a book; order.ErrNotFound if there is
	// none.
	LockOrder(ctx context.Context, id book.ID) (order.Order, error)
	// EraseReasons deletes the reasons that a user has given for cancelling orders of their own.
	EraseReasons(ctx context.Context, by user.ID) error
	// UpdateOrder stores a locked order and appends entries to the ledger. If the stored
	// status is no longer was, nothing changes and the error is order.ErrTransition.
	UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error
	// FindOrders loads orders by id, in ascending order. Unknown ids are left out.
	FindOrders(ctx context.Context, ids []order.ID) ([]order.Order, error)
	// ListPlacedOrdersOf lists the orders in status Placed with a user on either side, in
	// ascending order of their books.
	ListPlacedOrdersOf(ctx context.Context, id user.ID) ([]order.Order, error)
	// HasOpenOrders reports whether a user has an order, on either side, that is neither
	// delivered nor cancelled.
	HasOpenOrders(ctx context.Context, id user.ID) (bool, error)
	// CountWithdrawals counts the orders that a buyer has cancelled after a time.
	// Transactions that count those of the same buyer run one after the other.
	CountWithdrawals(ctx context.Context, buyer user.ID, after time.Time) (int, error)
	// CountPurchases counts the orders of a buyer. Transactions that count those of the same
	// buyer run one after the other.
	CountPurchases(ctx context.Context, buyer user.ID) (order.Purchases, error)
	// ListWaitingOrders lists at most n orders that wait to be handed over, in the order of
	// WaitingPosition.
	ListWaitingOrders(ctx context.Context, w WaitingOrders, n int) ([]WaitingOrder, error)
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

// OrderReader reads orders with the contact details of buyer and seller, newest
// first: at most n with ids below before, where 0 means no bound.
type OrderReader interface {
	ListBooksBoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]market.BookView, error)
	ListBooksSoldBy(ctx context.Context, seller user.ID, before order.ID, n int) ([]market.BookView, error)
	// ListOrdersOf lists the orders with a user on a side, in a status, or in every status
	// if s is 0.
	ListOrdersOf(ctx context.Context, of user.ID, side order.Side, s order.Status, before order.ID, n int) ([]market.OrderView, error)
	// FindOrderViews loads orders by id, in ascending order. Unknown ids are left out.
	FindOrderViews(ctx context.Context, ids ...order.ID) ([]market.OrderView, error)
	// ListOrderQueue lists the orders at a stage with ids above after, oldest first. campus
	// is the book.Key of their university, here and below; "" selects all.
	ListOrderQueue(ctx context.Context, s Stage, campus string, after order.ID, n int) ([]market.OrderView, error)
	CountOrders(ctx context.Context, s Stage, campus string) (int, error)
	ListOrders(ctx context.Context, f OrderSelection, before order.ID, n int) ([]market.OrderView, error)
}

// OrderSelection selects orders. The zero value selects all.
type OrderSelection struct {
	Status order.Status // 0: any
	Campus string
	Text   string // in the name of the book, or in the name or address of buyer or seller; case does not matter
}

// LedgerReader reads what the check of the ledger compares.
type LedgerReader interface {
	// WalkOrders calls visit for every order, in ascending order. It stops at the first
	// error and returns it.
	WalkOrders(ctx context.Context, visit func(OrderAccount) error) error
	// FindInconsistencies lists entries and sold books without an order, movements that
	// do not sum to 0, and counters of the dashboard that differ from what they count.
	FindInconsistencies(ctx context.Context) ([]Inconsistency, error)
}

// Store is what one transaction may change of what people buy and how it reaches them.
type Store interface {
	CartStore
	OrderStore
	RatingStore
	DeskStore
	MeetingStore
	MeetingEnder
	MeetingPlaceStore
	HandoverStore
}
