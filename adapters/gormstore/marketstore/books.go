package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/findingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
)

// books is a part of market.Stores.
type books struct {
	marketrows.Handle
	index findingstore.Index
}

func (s *Store) booksOf(c marketrows.Handle) books { return books{c, s.IndexIn(c)} }

// insertBook has the columns of bookValues, which follow it.
const insertBook = `INSERT INTO books (seller_id, buyer_id, status, name, course, edition, price, condition, available_at, comments, isbn,
	university, created_at, listed_at, held, authors, title_key, course_key, university_key, id) VALUES `

// bookValues are the values of all columns, the id last.
func bookValues(b book.Book) []any {
	held := 0
	if b.Held {
		held = 1
	}
	return []any{
		int64(b.Seller), int64(b.Buyer), int(b.Status), b.Name, b.Course, b.Edition, int64(b.Price), int(b.Condition),
		b.Date.UnixMicro(), b.Comments, string(b.ISBN), b.University, rawsql.Micros(b.CreatedAt), rawsql.Micros(b.ListedAt), held, b.Authors,
		book.TitleKey(b.Name), text.Key(b.Course), text.Key(b.University), int64(b.ID),
	}
}

func (s books) AddBook(ctx context.Context, b book.Book) error {
	if err := marketrows.Insert(ctx, s.Handle, insertBook, []book.Book{b}, bookValues); err != nil || b.Status != book.ForSale {
		return err
	}
	return s.index.Add(ctx, b)
}

func (s books) LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return rawsql.Collect(ctx, s.Conn, marketrows.ReadBook, "SELECT "+marketrows.BookColumns+" FROM books b WHERE b.id IN ("+marks+") ORDER BY b.id"+s.Locking(rawsql.ForNoKeyUpdate), args...)
}

const updateBook = `UPDATE books SET seller_id = ?, buyer_id = ?, status = ?, name = ?, course = ?, edition = ?, price = ?, condition = ?,
	available_at = ?, comments = ?, isbn = ?, university = ?, created_at = ?, listed_at = ?, held = ?, authors = ?, title_key = ?, course_key = ?, university_key = ?
	WHERE id = ? AND status = ?`

func (s books) UpdateBook(ctx context.Context, b book.Book, was book.Status) error {
	n, err := s.Exec(ctx, updateBook, append(bookValues(b), int(was))...)
	if err != nil {
		return err
	}
	if n == 0 {
		return book.ErrNotAvailable
	}
	if was == book.ForSale {
		if err := s.index.Remove(ctx, b.ID); err != nil {
			return err
		}
	}
	if b.Status == book.ForSale {
		return s.index.Add(ctx, b)
	}
	return nil
}

// LockKeys takes an advisory lock for each key, shared for books and exclusive for requests,
// until the transaction ends: on Postgres, two concurrent transactions do not see what the
// other has inserted. All transactions take their locks in the same order, so they do not
// deadlock. SQLite has one writer and needs no locks.
func (s books) LockKeys(ctx context.Context, posting bool, keys []string) error {
	if !s.IsPostgres() || len(keys) == 0 {
		return nil
	}
	lock := "pg_advisory_xact_lock"
	if posting {
		lock = "pg_advisory_xact_lock_shared"
	}
	marks, args := rawsql.In(keys)
	_, err := s.Exec(ctx, "SELECT "+lock+"(h) FROM (SELECT DISTINCT hashtextextended(k, 0) AS h FROM unnest(ARRAY["+marks+"]::text[]) AS k ORDER BY h) AS ordered", args...)
	return err
}
