package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
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

// idQuery selects ids of books. order sorts its rows, under the alias h.
type idQuery struct {
	query string
	args  []any
	order string
}

const newestFirst = "h.id DESC"

// newestOf reads the newest n books of a query that meet further conditions.
func newestOf[T any](ctx context.Context, c marketrows.Handle, of idQuery, rest *marketrows.Where, n int, columns string, read rawsql.Scanner[T]) ([]T, error) {
	args := append(append(of.args, rest.Args...), n)
	return rawsql.CollectUpTo(ctx, c.Conn, n, read, "SELECT "+columns+" FROM ("+of.query+") AS h"+c.JoinBook()+" "+rest.String()+" ORDER BY "+of.order+" LIMIT ?", args...)
}

// newestWith reads the newest n books that have a term of each group of words and meet the
// criteria.
func newestWith[T any](ctx context.Context, c marketrows.Handle, t fullText, words [][]string, of finding.Criteria, before int64, n int, columns string, read rawsql.Scanner[T]) ([]T, error) {
	var found []T
	err := t.newest(ctx, words, of, before, n, func(q idQuery) (_ int, err error) {
		found, err = newestOf(ctx, c, q, criteria(of), n, columns, read)
		return len(found), err
	})
	return found, err
}

func openFullText(c marketrows.Handle, b Bounds) fullText {
	if c.IsPostgres() {
		return ginIndex{c, b}
	}
	return fts5Index{c, b}
}

// Bounds limit how many books a list or a search considers.
type Bounds struct {
	Sorted     int // if fewer books have a condition and a price, they are compared one by one
	Hits       int // newest books with the words or the title
	Rare       int // if a search has fewer hits, it does not query the facets
	FirstScan  int // newest entries that Postgres scans first, for common words
	Few        int // if fewer books have the words and the facets, Postgres sorts them
	SecondScan int // otherwise it scans so many of the newest entries
}

var defaultBounds = Bounds{Sorted: 1_500, Hits: 2_000, Rare: 1_000, FirstScan: 2_500, Few: 1_000, SecondScan: 20_000}
