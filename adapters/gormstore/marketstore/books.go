package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// books is a part of market.Stores.
type books struct {
	conn
	text  fullText
	words *vocabulary
}

func (s books) LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error) {
	return rawsql.List(ctx, table.Of[bookRow](s.session, rawsql.ForNoKeyUpdate).Where("seller_id = ? AND status = 0", seller).Order("id"), (*bookRow).book)
}

func (s books) EraseComments(ctx context.Context, seller user.ID) error {
	_, err := table.Of[bookRow](s.session).Where("seller_id = ? AND comments <> ''", seller).Assign(ctx, map[string]any{"comments": ""})
	return err
}

func (s books) LockBooksListedBefore(ctx context.Context, then time.Time, after book.ID, n int) ([]book.Book, error) {
	return rawsql.List(ctx, table.Of[bookRow](s.session, rawsql.ForNoKeyUpdate).
		Where("status = 0 AND id > ? AND listed_at <= ?", after, rawsql.Micros(then)).Order("id").Limit(n), (*bookRow).book)
}

const countListedBefore = "SELECT count(*) FROM (SELECT 1 FROM books WHERE status = 0 AND listed_at <= ? LIMIT ?) AS old"

func (s books) CountBooksListedBefore(ctx context.Context, then time.Time, most int) (int, error) {
	n, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], countListedBefore, rawsql.Micros(then), most)
	return n, err
}

// index adds books for sale to the full-text index and their terms to the vocabulary.
func (s books) index(ctx context.Context, all ...book.Book) error {
	if err := s.text.add(ctx, all); err != nil {
		return err
	}
	var terms []string
	for _, b := range all {
		terms = append(terms, b.Terms()...)
	}
	return s.words.learn(ctx, s.conn, terms)
}

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
		book.TitleKey(b.Name), book.Key(b.Course), book.Key(b.University), int64(b.ID),
	}
}

func (s books) AddBook(ctx context.Context, b book.Book) error {
	if err := insert(ctx, s.conn, insertBook, []book.Book{b}, bookValues); err != nil || b.Status != book.ForSale {
		return err
	}
	return s.index(ctx, b)
}

func (s books) LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+" FROM books b WHERE b.id IN ("+marks+") ORDER BY b.id"+s.Locking(rawsql.ForNoKeyUpdate), args...)
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
		if err := s.text.remove(ctx, b.ID); err != nil {
			return err
		}
	}
	if b.Status == book.ForSale {
		return s.index(ctx, b)
	}
	return nil
}
