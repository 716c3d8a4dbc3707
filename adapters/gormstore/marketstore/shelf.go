package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// shelf is market.ShelfStore.
type shelf struct {
	conn
	text  fullText
	words *vocabulary
}

func (s shelf) Add(ctx context.Context, b book.Book) error {
	if _, err := s.Exec(ctx, insertBook, bookValues(b)...); err != nil || b.Status != book.ForSale {
		return err
	}
	return s.index(ctx, b)
}

func (s shelf) Hold(ctx context.Context, ids ...book.ID) ([]book.Book, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+" FROM books b WHERE b.id IN ("+marks+") ORDER BY b.id"+s.ForNoKeyUpdate(), args...)
}

func (s shelf) Save(ctx context.Context, b book.Book, was book.Status) error {
	n, err := s.Exec(ctx, updateBook, append(bookValues(b), int(was))...)
	if err != nil {
		return err
	}
	if n == 0 {
		return book.ErrNotAvailable
	}
	if was == book.ForSale {
		if err := s.text.remove(ctx, b.ID); err != nil {
			return err
		}
	}
	if b.Status == book.ForSale {
		return s.index(ctx, b)
	}
	return nil
}

func (s shelf) OfferedBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+` FROM books b
		WHERE b.seller_id = ? AND b.status = 0 ORDER BY b.id`+s.ForNoKeyUpdate(), int64(seller))
}

func (s shelf) Stale(ctx context.Context, then time.Time, after book.ID, n int) ([]book.Book, error) {
	return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+` FROM books b
		WHERE b.status = 0 AND b.id > ? AND b.listed_at <= ? ORDER BY b.id LIMIT ?`+s.ForNoKeyUpdate(), int64(after), then.UnixMicro(), n)
}

// index lets a search find a book for sale.
func (s shelf) index(ctx context.Context, b book.Book) error {
	if err := s.text.add(ctx, b.ID, entry(b)); err != nil {
		return err
	}
	return s.words.learn(ctx, s.conn, b.Terms())
}
