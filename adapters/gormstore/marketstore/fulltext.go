package marketstore

import (
	"context"
	"iter"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
)

// fullText is an index of the terms of books for sale: FTS5 on SQLite, GIN on Postgres.
type fullText interface {
	// add takes in a book's terms, remove takes them out. Both may wait for the end of the
	// transaction; settle lets what follows in it see them.
	add(ctx context.Context, id book.ID, terms []string) error
	remove(ctx context.Context, id book.ID) error
	settle(ctx context.Context) error
	// newest gives queries for the newest books with an id below before that have a term of
	// each group of words. It may leave out those that lack a term of each group of facets.
	// The next query is for a reader whom the one before has not given enough; a book may be
	// in several. Each looks at a bounded number of books.
	newest(ctx context.Context, words, facets [][]string, before int64) iter.Seq2[idQuery, error]
}

func (c conn) fullText(b bounds) fullText {
	if c.Dialect == gormstore.Postgres {
		return ginIndex{c, b}
	}
	return fts5Index{c, b}
}

// idQuery gives ids of books; order is that of its rows, which are called h.
type idQuery struct {
	query string
	args  []any
	order string
}

const newestFirst = "h.id DESC"

// bounds say how many books a list or a search looks at.
type bounds struct {
	sorted  int // books with a condition and a price are sorted by age if they are fewer
	hits    int // of what has the words, or the title, only the newest are looked at
	rare    int // fewer hits are compared with the criteria one by one
	glanced int // Postgres looks through so many of the newest entries for common words
	few     int // it sorts what has the words if there is less, and else
	walked  int // looks through so many of the newest entries
}

var usual = bounds{sorted: 2_000, hits: 2_000, rare: 1_000, glanced: 5_000, few: 2_000, walked: 20_000}

// newestOf reads the n newest books of a query that meet further conditions.
func newestOf[T any](ctx context.Context, c conn, of idQuery, rest *where, n int, columns string, read rawsql.Scanner[T]) ([]T, error) {
	args := append(append(of.args, rest.args...), n)
	return rawsql.CollectUpTo(ctx, c.Conn, n, read, "SELECT "+columns+" FROM ("+of.query+") AS h"+c.itsBook()+" "+rest.String()+" ORDER BY "+of.order+" LIMIT ?", args...)
}

// newestWith reads the n newest books that have a term of each group of words and meet
// further conditions, of which facets are a part.
func newestWith[T any](ctx context.Context, c conn, t fullText, words, facets [][]string, before int64, rest *where, n int, columns string, read rawsql.Scanner[T]) ([]T, error) {
	if err := t.settle(ctx); err != nil {
		return nil, err
	}
	var found []T
	for of, err := range t.newest(ctx, words, facets, before) {
		if err != nil {
			return nil, err
		}
		if found, err = newestOf(ctx, c, of, rest, n, columns, read); err != nil || len(found) == n {
			return found, err
		}
	}
	return found, nil
}
