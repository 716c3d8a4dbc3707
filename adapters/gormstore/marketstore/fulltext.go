package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
)

// fullText is the index of the terms of books for sale: FTS5 on SQLite, GIN on Postgres.
type fullText interface {
	// add adds the terms of books and remove removes those of one. Both may defer the work to the
	// end of the transaction, or until newest needs it.
	add(ctx context.Context, all []book.Book) error
	remove(ctx context.Context, id book.ID) error
	// newest searches for the newest n books with ids below before that have a term of each
	// group of words. Its queries may omit books that do not meet the criteria. try runs a
	// query, whose result replaces that of the one before, and returns how many books meet
	// the criteria. Each query considers a bounded number of books.
	newest(ctx context.Context, words [][]string, c finding.Criteria, before int64, n int, try func(idQuery) (int, error)) error
	// count counts for each term how many of the newest n books have it.
	count(ctx context.Context, terms []string, n int) ([]int, error)
}

func (c conn) fullText(b bounds) fullText {
	if c.isPostgres() {
		return ginIndex{c, b}
	}
	return fts5Index{c, b}
}

// idQuery selects ids of books. order sorts its rows, under the alias h.
type idQuery struct {
	query string
	args  []any
	order string
}

const newestFirst = "h.id DESC"

// bounds limit how many books a list or a search considers.
type bounds struct {
	sorted     int // if fewer books have a condition and a price, they are compared one by one
	hits       int // newest books with the words or the title
	rare       int // if a search has fewer hits, it does not query the facets
	firstScan  int // newest entries that Postgres scans first, for common words
	few        int // if fewer books have the words and the facets, Postgres sorts them
	secondScan int // otherwise it scans so many of the newest entries

	orders, titles int // newest orders that a search compares, and those whose titles it may compare, see searchOrders
}

var defaultBounds = bounds{sorted: 1_500, hits: 2_000, rare: 1_000, firstScan: 2_500, few: 1_000, secondScan: 20_000, orders: 1_000, titles: 20_000}

// newestOf reads the newest n books of a query that meet further conditions.
func newestOf[T any](ctx context.Context, c conn, of idQuery, rest *where, n int, columns string, read rawsql.Scanner[T]) ([]T, error) {
	args := append(append(of.args, rest.args...), n)
	return rawsql.CollectUpTo(ctx, c.Conn, n, read, "SELECT "+columns+" FROM ("+of.query+") AS h"+c.joinBook()+" "+rest.String()+" ORDER BY "+of.order+" LIMIT ?", args...)
}

// newestWith reads the newest n books that have a term of each group of words and meet the
// criteria.
func newestWith[T any](ctx context.Context, c conn, t fullText, words [][]string, of finding.Criteria, before int64, n int, columns string, read rawsql.Scanner[T]) ([]T, error) {
	var found []T
	err := t.newest(ctx, words, of, before, n, func(q idQuery) (_ int, err error) {
		found, err = newestOf(ctx, c, q, criteria(of), n, columns, read)
		return len(found), err
	})
	return found, err
}
