package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
)

// signStep is how many names are signed in one transaction.
const signStep = 1000

// signNames signs the names of open requests that were filed before names were.
func signNames(ctx context.Context, db *gormstore.DB) error {
	for {
		var done int
		err := db.Atomically(ctx, func(tx *gorm.DB) error {
			c := conn{tx.Statement.ConnPool, db.Dialect}
			unsigned, err := collect(ctx, c, readName, `SELECT k.request_id, r.name FROM request_keys k
				JOIN requests r ON r.id = k.request_id WHERE k.words IS NULL LIMIT ?`, signStep)
			done = len(unsigned)
			for _, r := range unsigned {
				if err != nil {
					break
				}
				_, err = c.exec(ctx, "UPDATE request_keys SET words = ? WHERE request_id = ? AND words IS NULL",
					int64(book.Sign(book.Significant(r.name))), r.id)
			}
			return err
		})
		if err != nil || done < signStep {
			return err
		}
	}
}

// named is a request's name.
type named struct {
	id   int64
	name string
}

func readName() ([]any, func() named) {
	var r named
	return []any{&r.id, &r.name}, func() named { return r }
}
