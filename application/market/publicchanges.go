package market

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
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
		c.add(allLists, bookKey(b.ID))
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

type watchedSelling struct {
	SellingStore
	changes *publicChanges
}

// AddBook changes no response with the key of the book: there is none yet.
func (w watchedSelling) AddBook(ctx context.Context, b book.Book) error {
	w.changes.learn(b)
	w.changes.add(allLists)
	w.changes.add(copyKeys(b)...)
	return w.SellingStore.AddBook(ctx, b)
}

func (w watchedSelling) LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	all, err := w.SellingStore.LockBooksForSaleBy(ctx, seller)
	w.changes.learn(all...)
	return all, err
}

func (w watchedSelling) LockBooksListedBefore(ctx context.Context, t time.Time, after book.ID, n int) ([]book.Book, error) {
	all, err := w.SellingStore.LockBooksListedBefore(ctx, t, after, n)
	w.changes.learn(all...)
	return all, err
}

func (w watchedSelling) UpdatePhoto(ctx context.Context, p photo.Photo, was photo.State) error {
	if p.State == photo.Shown || was == photo.Shown {
		w.changes.addBookOf(p.Book, w.changes.addShown)
	}
	return w.SellingStore.UpdatePhoto(ctx, p, was)
}

// RemovePhotosOf is part of the deletion of a user, which unlists the books of the photos.
func (w watchedSelling) RemovePhotosOf(ctx context.Context, owner user.ID, now time.Time) error {
	w.changes.add(sellerKey(owner))
	return w.SellingStore.RemovePhotosOf(ctx, owner, now)
}

type watchedBuying struct {
	BuyingStore
	changes *publicChanges
}

// UpdateOrder changes the record of the seller when a sale ends, and what such books have sold for
// when it ends well.
func (w watchedBuying) UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	switch o.Status {
	case order.Delivered:
		w.changes.addBookOf(o.Book, func(b book.Book) {
			w.changes.add(copyKeys(b)...)
			w.changes.add(courseKeyOf(b.Course))
		})
		w.changes.add(sellerKey(o.Seller))
	case order.Cancelled:
		w.changes.add(sellerKey(o.Seller))
	}
	return w.BuyingStore.UpdateOrder(ctx, o, was, entries)
}

func (w watchedBuying) SaveRating(ctx context.Context, r rating.Rating) error {
	w.changes.add(sellerKey(r.Of))
	return w.BuyingStore.SaveRating(ctx, r)
}

func (w watchedBuying) RemoveRatings(ctx context.Context, id user.ID) error {
	w.changes.add(sellerKey(id))
	return w.BuyingStore.RemoveRatings(ctx, id)
}

type watchedGuarding struct {
	GuardingStore
	changes *publicChanges
}

// UpdateReports may uphold a report, which hides how others rated the person.
func (w watchedGuarding) UpdateReports(ctx context.Context, all []report.Report) error {
	for _, r := range all {
		if r.Upheld() {
			w.changes.add(sellerKey(r.About))
		}
	}
	return w.GuardingStore.UpdateReports(ctx, all)
}

func (w watchedGuarding) DeleteReportsAbout(ctx context.Context, person user.ID) error {
	w.changes.add(sellerKey(person))
	return w.GuardingStore.DeleteReportsAbout(ctx, person)
}
