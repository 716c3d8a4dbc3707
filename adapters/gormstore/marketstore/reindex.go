package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
)

// indexStep is how many books are indexed in one transaction.
const indexStep = 1000

// indexBooks writes the entries of the books for sale where a step of the schema has
// emptied the index. It goes on where it was stopped.
func indexBooks(ctx context.Context, db *gormstore.DB) error {
	if db.Dialect == gormstore.Postgres {
		return nil // Postgres has an entry for every book
	}
	for steps := 0; ; steps++ {
		var more bool
		err := db.Atomically(ctx, func(tx *gorm.DB) (err error) {
			more, err = conn{tx.Statement.ConnPool, db.Dialect}.indexMore(ctx)
			return err
		})
		switch {
		case err != nil:
			return err
		case !more && steps > 0:
			return compact(ctx, db, 2, 0)
		case !more:
			return nil
		}
	}
}

// indexMore reports whether there may be books left to index.
func (c conn) indexMore(ctx context.Context) (bool, error) {
	upto, behind, err := one(ctx, c, integer[book.ID], "SELECT upto FROM book_search_progress")
	if err != nil || !behind {
		return false, err
	}
	books, err := collect(ctx, c, readBook, "SELECT "+bookColumns+" FROM books b WHERE b.status = 0 AND b.id > ? ORDER BY b.id LIMIT ?",
		int64(upto), indexStep)
	if err != nil {
		return false, err
	}
	for _, b := range books {
		// The entry of a book that was posted meanwhile is there already.
		if _, err := c.exec(ctx, "INSERT OR REPLACE INTO book_search (rowid, terms) VALUES (?, ?)", int64(b.ID), c.entry(b)); err != nil {
			return false, err
		}
		upto = b.ID
	}
	if len(books) < indexStep {
		_, err = c.exec(ctx, "DELETE FROM book_search_progress")
		return false, err
	}
	_, err = c.exec(ctx, "UPDATE book_search_progress SET upto = ?", int64(upto))
	return true, err
}
