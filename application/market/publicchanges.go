package market

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// PublicChanges collects the keys of the public responses that a transaction changes. It watches
// the stores and not the use cases, so that no use case can forget to purge.
type PublicChanges struct {
	books map[book.ID]book.Book // that the transaction has locked, as they are now
	keys  map[SurrogateKey]bool
}

// NewPublicChanges returns none.
func NewPublicChanges() *PublicChanges {
	return &PublicChanges{books: map[book.ID]book.Book{}, keys: map[SurrogateKey]bool{}}
}

// watchChanges puts itself between a transaction and the stores of all that public responses show.
func watchChanges(s Stores) watched { return watched{s, NewPublicChanges()} }

// Add adds keys.
func (c *PublicChanges) Add(keys ...SurrogateKey) {
	for _, k := range keys {
		c.keys[k] = true
	}
}

// List returns the keys in order.
func (c *PublicChanges) List() []SurrogateKey { return slices.Sorted(maps.Keys(c.keys)) }

// Learn notes how books are now that the transaction has locked or stored.
func (c *PublicChanges) Learn(all ...book.Book) {
	for _, b := range all {
		c.books[b.ID] = b
	}
}

// AddShown adds the keys of all that shows a book, if everybody may see it.
func (c *PublicChanges) AddShown(b book.Book) {
	if b.VisibleTo(user.Caller{}) {
		c.Add(AllLists, bookKey(b.ID))
		c.Add(CopyKeys(b)...)
	}
}

// AddBookOf is AddShown for a book that the transaction has locked. The rules of locking make
// it know the book; if they are broken, everything is purged.
func (c *PublicChanges) AddBookOf(id book.ID, addKeys func(book.Book)) {
	b, known := c.books[id]
	if !known {
		c.Add(Everything)
		return
	}
	addKeys(b)
}

type watched struct {
	Stores
	changes *PublicChanges
}

func (w watched) LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error) {
	all, err := w.Stores.LockBooks(ctx, ids...)
	w.changes.Learn(all...)
	return all, err
}

// UpdateBook changes what shows the book as it was and what shows it as it is.
func (w watched) UpdateBook(ctx context.Context, b book.Book, was book.Status) error {
	w.changes.AddBookOf(b.ID, w.changes.AddShown)
	w.changes.Learn(b)
	w.changes.AddShown(b)
	return w.Stores.UpdateBook(ctx, b, was)
}
