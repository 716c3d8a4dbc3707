package guardingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
)

// mostFound is among how many books with an ISBN or a title those of one university are looked for.
const mostFound = 500

// ListBooksOfISBN implements guarding.Reader. There is an index of the books for sale and one of all others.
func (s Reader) ListBooksOfISBN(ctx context.Context, isbn book.ISBN, campus string, n int) ([]book.ID, error) {
	const of = "(SELECT b.id, b.university_key FROM books b WHERE b.isbn = ? AND b.isbn <> '' AND "
	return s.listFound(ctx, of+"b.status = 0 ORDER BY b.id DESC LIMIT ?) AS offered UNION ALL SELECT * FROM "+of+"b.status <> 0 ORDER BY b.id DESC LIMIT ?) AS others",
		campus, n, string(isbn), mostFound, string(isbn), mostFound)
}

// ListBooksTitled implements guarding.Reader. The index of Postgres compares bytes, so that it has all titles with a beginning
// in one range.
func (s Reader) ListBooksTitled(ctx context.Context, beginning, campus string, n int) ([]book.ID, error) {
	title := "b.title_key"
	if s.Read.IsPostgres() {
		title += ` COLLATE "C"`
	}
	return s.listFound(ctx, "(SELECT b.id, b.university_key FROM books b WHERE b.status <> 0 AND "+title+" >= ? AND "+title+" < ? ORDER BY "+title+", b.id LIMIT ?) AS titled",
		campus, n, beginning, beginning+"\U0010FFFF", mostFound)
}

// listFound lists the newest ids of a bounded source of ids and universities.
func (s Reader) listFound(ctx context.Context, from, campus string, n int, args ...any) ([]book.ID, error) {
	query := "SELECT f.id FROM (SELECT * FROM " + from + ") AS f"
	if campus != "" {
		query, args = query+" WHERE f.university_key = ?", append(args, campus)
	}
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Integer[book.ID], query+" ORDER BY f.id DESC LIMIT ?", append(args, n)...)
}
