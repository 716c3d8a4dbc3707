// Package buying is the room of the market in which books change hands: carts, checkout, orders and
// the ledger, desks, meetings, and what people say of a sale.
package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
)

// Config has the settings of the room.
type Config struct {
	Fee       order.FeeRate
	Handovers meeting.Secret // the key of all codes
	Zone      *time.Location // of the campus
}

// Room has the use cases of the room.
type Room struct {
	Carts        *Carts
	Checkout     *Checkout
	Orders       *Orders
	OrderSweeper *OrderSweeper
	Ledger       *Ledger
	Desks        *Desks
	Tradable     *Tradable
	Meetings     *Meetings
	Trust        *Trust
	Offers       *Offers
}

// New returns the use cases over the storage of an adapter.
func New(d market.Deps, s Reader, open Open, c Config) *Room {
	u := unit{Deps: d, In: in(open)}
	orders := newOrders(u, s)
	return &Room{
		Carts: newCarts(u, s), Checkout: newCheckout(u, c.Fee), Orders: orders, OrderSweeper: newOrderSweeper(orders),
		Ledger: NewLedger(s), Desks: newDesks(u, s), Tradable: newTradable(u, s),
		Meetings: newMeetings(u, orders, s, c), Trust: newTrust(u, s),
		Offers: newOffers(u, s),
	}
}

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	in := in(open)
	h.BookCheaper.Add(market.InRoom(in, func(t *tx, ctx context.Context, b book.Book) error { return t.notifyPriceDrop(ctx, b, 0) }))
	h.BookCheaper.Add(market.InRoom(in, (*tx).endNeedlessOffers))
	h.BookLeft.Add(market.InRoom(in, (*tx).endOffers))
	h.UserErased.Add(market.InRoom(in, (*tx).erase))
	h.UserWithdrawn.Add(market.InRoom(in, (*tx).endTrades))
	h.UserMoves.Add(market.InRoom(in, (*tx).refuseMove))
	h.Does(lapseOffer, market.OnBook(in, (*tx).lapseOffer))
	h.Does(market.NotifyPriceDrop, market.OnBook(in, (*tx).continuePriceDrop))
}

// Periodic lists the work that the room does again and again.
func (r *Room) Periodic() []market.Periodic {
	return []market.Periodic{
		{Name: "lapse_orders", Every: r.OrderSweeper.Every(), Do: market.Once(r.OrderSweeper.Sweep)},
	}
}

// tx is a transaction in progress: what all rooms share, and the stores of this one.
type tx struct {
	*market.Tx
	Store
}

type (
	unit = market.Unit[*tx]
	op   = market.IdempotentOp[*tx]
)

// Open opens the room's store in a transaction.
type Open = func(market.Stores) Store

func in(open Open) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, watch(open(t.Stores), t.Changes)} }
}
