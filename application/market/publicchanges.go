package market

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// publicChanges collects the keys of the public responses that a transaction changes. It watches
// the stores and not the use cases, so that no use case can forget to purge.
type publicChanges struct {
	books map[book.ID]book.Book // that the transaction has locked, as they are now
	keys  map[SurrogateKey]bool
}

// watchChanges puts itself between a transaction and the stores of all that public responses show.
func watchChanges(s *Stores) *publicChanges {
	c := &publicChanges{books: map[book.ID]book.Book{}, keys: map[SurrogateKey]bool{}}
	s.Books, s.Selling = watchedBooks{s.Books, c}, watchedSelling{s.Selling, c}
	s.Buying, s.Guarding = watchedBuying{s.Buying, c}, watchedGuarding{s.Guarding, c}
	return c
}

func (c *publicChanges) add(keys ...SurrogateKey) {
	for _, k := range keys {
		c.keys[k] = true
	}
}

// list returns the keys in order.
func (c *publicChanges) list() []SurrogateKey { return slices.Sorted(maps.Keys(c.keys)) }

func (c *publicChanges) learn(all ...book.Book) {
	for _, b := range all {
		c.books[b.ID] = b
	}
}

// addShown adds the keys of all that shows a book, if everybody may see it.
func (c *publicChanges) addShown(b book.Book) {
	if b.VisibleTo(user.Caller{}) {
		c.add(AllLists, bookKey(b.ID))
		c.add(copyKeys(b)...)
	}
}

// addBookOf is addShown for a book that the transaction has locked. The rules of locking make
// it know the book; if they are broken, everything is purged.
func (c *publicChanges) addBookOf(id book.ID, addKeys func(book.Book)) {
	b, known := c.books[id]
	if !known {
		c.add(Everything)
		return
	}
	addKeys(b)
}

type watchedBooks struct {
	BookStore
	changes *publicChanges
}

func (w watchedBooks) LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error) {
	all, err := w.BookStore.LockBooks(ctx, ids...)
	w.changes.learn(all...)
	return all, err
}

// UpdateBook changes what shows the book as it was and what shows it as it is.
func (w watchedBooks) UpdateBook(ctx context.Context, b book.Book, was book.Status) error {
	w.changes.addBookOf(b.ID, w.changes.addShown)
	w.changes.learn(b)
	w.changes.addShown(b)
	return w.BookStore.UpdateBook(ctx, b, was)
}
