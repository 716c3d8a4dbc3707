package market

import (
	"cmp"
	"context"
	"slices"

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
	return c.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
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
	return c.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		return a.Carts.Remove(ctx, by.ID, ids...)
	})
}

// Items lists what is in the caller's cart, the last added first.
func (c *Carts) Items(ctx context.Context, by user.Caller, p Page) ([]CartItem, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	after, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	items, err := c.lists.InCart(ctx, by.ID) // a cart is small
	if err != nil {
		return nil, "", err
	}
	if !after.Start() {
		items = slices.DeleteFunc(items, func(i CartItem) bool { return !i.follows(after) })
	}
	items, next := cut(items, n, CartItem.position)
	for i := range items {
		items[i].BookView = items[i].shownTo(by)
		items[i].Available = items[i].Status == book.ForSale
	}
	return items, next, nil
}

func (i CartItem) position() Position { return Position{Key: i.AddedAt.UnixMicro(), ID: int64(i.ID)} }

// follows reports whether the item comes after p: it was added earlier.
func (i CartItem) follows(p Position) bool {
	at := i.position()
	return cmp.Or(cmp.Compare(at.Key, p.Key), cmp.Compare(at.ID, p.ID)) < 0
}
