package buying

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// dropBatch is how many owners of carts one transaction notifies.
const dropBatch = 100

// Carts manages the carts. A cart does not reserve its books.
type Carts struct {
	deps   unit
	reader Reader
}

// newCarts returns the use cases of carts.
func newCarts(d unit, reader Reader) *Carts { return &Carts{d, reader} }

// MaxCart is how many books a cart holds, and how many can be bought at once.
const MaxCart = 100

// ErrCartFull refuses to add a book to a cart with MaxCart books.
var ErrCartFull = fault.New(fault.Conflict, "cart_full", "A cart can have at most 100 books.")

// Add adds a book that is for sale to the caller's cart. Adding it again means
// that the caller knows its price.
func (c *Carts) Add(ctx context.Context, by user.Caller, id book.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return c.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		b, err := t.LockBook(ctx, id)
		switch {
		case err != nil:
			return err
		case b.Seller == by.ID:
			return book.ErrOwnBook
		case b.Status != book.ForSale:
			return book.ErrNotAvailable
		}
		prices, err := t.pricesFor(ctx, by.ID, []book.Book{b})
		if err != nil {
			return err
		}
		b.Price = prices[id] // as the caller knows it
		return t.AddToCart(ctx, by.ID, b, MaxCart, t.Now)
	})
}

// Remove removes a book from the caller's cart, if it is in it.
func (c *Carts) Remove(ctx context.Context, by user.Caller, id book.ID) error {
	return c.remove(ctx, by, id)
}

// Clear empties the caller's cart.
func (c *Carts) Clear(ctx context.Context, by user.Caller) error { return c.remove(ctx, by) }

func (c *Carts) remove(ctx context.Context, by user.Caller, ids ...book.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return c.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		return t.RemoveFromCart(ctx, by.ID, ids...)
	})
}

// List lists the caller's cart, the last added item first.
func (c *Carts) List(ctx context.Context, by user.Caller, p market.Page) ([]CartItem, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	after, n, err := p.Read()
	if err != nil {
		return nil, "", err
	}
	items, err := c.reader.ListCartItems(ctx, by.ID) // whole: it has at most MaxCart items
	if err != nil {
		return nil, "", err
	}
	if !after.Start() {
		items = slices.DeleteFunc(items, func(i CartItem) bool { return !i.follows(after) })
	}
	items, next := market.Cut(items, n, CartItem.position)
	agreed, err := c.reader.ListAgreedPrices(ctx, by.ID, c.deps.Clock.Now(), bookIDs(items)...)
	if err != nil {
		return nil, "", err
	}
	for i := range items {
		items[i].show(by, agreed)
	}
	return items, next, nil
}

// Count counts the books in the caller's cart.
func (c *Carts) Count(ctx context.Context, by user.Caller) (int, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	return c.reader.CountCartItems(ctx, by.ID)
}

// notifyPriceDrop notifies the users above an id who have a book for sale in their cart, if it
// has become clearly cheaper than they know.
func (t *tx) notifyPriceDrop(ctx context.Context, b book.Book, after user.ID) error {
	owners, err := t.LowerCartPrices(ctx, b, after, dropBatch)
	if err != nil {
		return err
	}
	for _, id := range owners {
		t.Notify(notification.PriceDrop, id, b)
	}
	if len(owners) < dropBatch {
		return nil
	}
	return t.Enqueue(ctx, market.NotifyPriceDrop, int64(b.ID), "", int64(owners[len(owners)-1]))
}

func (i CartItem) position() market.Position {
	return market.Position{Key: i.AddedAt.UnixMicro(), ID: int64(i.ID)}
}

// follows reports whether the item comes after p: it was added earlier.
func (i CartItem) follows(p market.Position) bool {
	at := i.position()
	return cmp.Or(cmp.Compare(at.Key, p.Key), cmp.Compare(at.ID, p.ID)) < 0
}

// CartItem is a book in a cart, with the price that the owner of the cart pays.
type CartItem struct {
	market.BookView
	AddedAt   time.Time
	Available bool         // still for sale
	ListPrice money.Amount // what others pay
}

func bookIDs(items []CartItem) []book.ID {
	ids := make([]book.ID, len(items))
	for i := range items {
		ids[i] = items[i].ID
	}
	return ids
}

// show is the item as its owner sees it, with the prices that the seller has accepted.
func (i *CartItem) show(to user.Caller, agreed map[book.ID]money.Amount) {
	i.BookView = i.ShownTo(to)
	i.Available = i.Status == book.ForSale
	i.ListPrice = i.Price
	if price, ok := agreed[i.ID]; ok && i.Available {
		i.Price = min(price, i.Price)
	}
}
