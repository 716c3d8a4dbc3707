package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Carts hold what somebody thinks of buying. They reserve nothing.
type Carts struct {
	kit   Kit
	lists ShelfReader
}

// NewCarts makes the carts.
func NewCarts(k Kit, lists ShelfReader) *Carts { return &Carts{k, lists} }

// MaxCart is how many books a cart holds, and how many can be bought at once.
const MaxCart = 100

// ErrCartFull refuses one book more than MaxCart.
var ErrCartFull = fault.New(fault.Conflict, "cart_full", "A cart holds at most 100 books.")

// Add puts a book that is for sale into the caller's cart; twice is fine.
func (c *Carts) Add(ctx context.Context, by user.Caller, id book.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return c.kit.step(ctx, func(ctx context.Context, a *act) error {
		b, err := a.hold(ctx, id)
		switch {
		case err != nil:
			return err
		case b.Seller == by.ID:
			return book.ErrOwnBook
		case b.Status != book.ForSale:
			return book.ErrNotAvailable
		}
		return a.Carts.Add(ctx, by.ID, id, MaxCart, a.now)
	})
}

// Remove takes a book out of the caller's cart; one that is not in it is fine.
func (c *Carts) Remove(ctx context.Context, by user.Caller, id book.ID) error {
	return c.remove(ctx, by, id)
}

// Clear empties the caller's cart.
func (c *Carts) Clear(ctx context.Context, by user.Caller) error { return c.remove(ctx, by) }

func (c *Carts) remove(ctx context.Context, by user.Caller, ids ...book.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return c.kit.step(ctx, func(ctx context.Context, a *act) error {
		return a.Carts.Remove(ctx, by.ID, ids...)
	})
}

// Items lists what is in the caller's cart, the last added first.
func (c *Carts) Items(ctx context.Context, by user.Caller) ([]CartItem, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	views, err := c.lists.InCart(ctx, by.ID)
	if err != nil {
		return nil, err
	}
	items := make([]CartItem, len(views))
	for i, v := range shown(views, by) {
		items[i] = CartItem{BookView: v, Available: v.Status == book.ForSale}
	}
	return items, nil
}
