package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// A look into book_search is planned in one way only: by the index of its terms, or
// along the newest entries.
const (
	plainHits  = "WITH hits AS MATERIALIZED (SELECT s.rowid AS id FROM book_search s WHERE s.terms @@ ?::tsquery AND s.rowid + 0 < ?) "
	newestHits = " FROM (SELECT id FROM hits ORDER BY id DESC OFFSET 0) h"
	newestRows = " FROM (SELECT e.id FROM (SELECT s.rowid AS id, s.terms FROM book_search s WHERE s.rowid < ? ORDER BY s.rowid DESC LIMIT ?) e WHERE e.terms @@ ?::tsquery) h"
)

// plainLook is a look for the newest entries of book_search, h.
type plainLook[T any] struct {
	read       reader[T]
	columns    string
	books      string // what is joined to h
	rest       where  // narrows that
	expression string // of terms and marks
	before     int64  // ids are below
	most       int
	instead    func(context.Context) ([]T, error) // the way to common terms that are rare otherwise; nil: none
}

// newest reads what there is of an expression. Common terms are soon found among the
// newest entries; of rare ones all entries can be gathered and sorted.
func (l plainLook[T]) newest(ctx context.Context, c conn, b plainBounds) ([]T, error) {
	if l.instead == nil {
		found, err := l.walk(ctx, c, b.glanced)
		if err != nil || len(found) == l.most {
			return found, err
		}
	}
	hits, _, err := one(ctx, c, integer[int], plainHits+"SELECT count(*) FROM (SELECT 1 FROM hits LIMIT ?) few", l.expression, l.before, b.hits)
	if err != nil || hits == 0 {
		return nil, err
	}
	if hits == b.hits {
		if l.instead != nil {
			return l.instead(ctx)
		}
		found, err := l.walk(ctx, c, b.entries)
		if err != nil || len(found) == l.most {
			return found, err
		}
	}
	return l.collect(ctx, c, plainHits+"SELECT "+l.columns+newestHits, l.expression, l.before)
}

// walk looks through so many of the newest entries.
func (l plainLook[T]) walk(ctx context.Context, c conn, entries int) ([]T, error) {
	return l.collect(ctx, c, "SELECT "+l.columns+newestRows, l.before, entries, l.expression)
}

func (l plainLook[T]) collect(ctx context.Context, c conn, query string, args ...any) ([]T, error) {
	query += l.books
	if len(l.rest.conditions) > 0 {
		query += " " + l.rest.String()
	}
	return collectUpTo(ctx, c, l.most, l.read, query+" ORDER BY h.id DESC LIMIT ?", append(append(args, l.rest.args...), l.most)...)
}

// plainExact is Exact on Postgres.
func (s *Store) plainExact(ctx context.Context, course, title string, c market.Criteria, n int) ([]book.Candidate, error) {
	found, err := s.plainKeyed(ctx, "b.course_key = ?", course, c, n)
	if err != nil {
		return nil, err
	}
	more, err := s.plainKeyed(ctx, "b.title_key = ?", title, c, n)
	return append(found, more...), err
}

// plainKeyed finds candidates by a condition that has an index of its own.
func (s *Store) plainKeyed(ctx context.Context, condition, key string, c market.Criteria, n int) ([]book.Candidate, error) {
	if key == "" {
		return nil, nil
	}
	w := shelved(c, plainUniversity, plainPrice)
	w.and(condition, key)
	return collectUpTo(ctx, s.read, n, readCandidate,
		"SELECT "+candidateColumns+" FROM (SELECT b.id FROM books b "+w.String()+" ORDER BY b.id DESC LIMIT ?) h"+byID+" ORDER BY b.id DESC", append(w.args, n)...)
}

// plainContaining is Containing on Postgres. Of books with common words those within
// rare prices are found by these.
func (s *Store) plainContaining(ctx context.Context, groups [][]string, c market.Criteria, n int) ([]book.Candidate, error) {
	l := plainLook[book.Candidate]{
		read: readCandidate, columns: candidateColumns, books: byID,
		rest:       *shelved(market.Criteria{ISBN: c.ISBN, MinPrice: c.MinPrice, MaxPrice: c.MaxPrice, NotBy: c.NotBy}, plainUniversity, plainPrice),
		expression: s.read.expression(groups, c), before: top(book.ID(0)), most: n,
	}
	if c.MinPrice == nil && c.MaxPrice == nil {
		return l.newest(ctx, s.read, s.plain)
	}
	c.Course, c.ISBN, c.NotBy = "", "", 0 // of what the indexes of prices do not tell
	w := shelved(c, indexedUniversity, indexedPrice)
	priced, _, err := one(ctx, s.read, integer[int], "SELECT count(*) FROM (SELECT 1 FROM books b "+w.String()+" LIMIT ?) few", append(w.args, s.plain.priced)...)
	if err != nil || priced == 0 {
		return nil, err
	}
	among := func(ctx context.Context) ([]book.Candidate, error) { return l.among(ctx, s.read, w) }
	if priced < s.plain.few {
		return among(ctx)
	}
	if priced < s.plain.priced {
		l.instead = among
	}
	return l.newest(ctx, s.read, s.plain)
}

// among reads what has the terms of the books that meet conditions, which should be few.
func (l plainLook[T]) among(ctx context.Context, c conn, books *where) ([]T, error) {
	l.books = " CROSS JOIN LATERAL (SELECT terms FROM book_search WHERE rowid = h.id OFFSET 0) s" + l.books
	l.rest.and("s.terms @@ ?::tsquery", l.expression)
	return l.collect(ctx, c, "WITH hits AS MATERIALIZED (SELECT b.id FROM books b "+books.String()+") SELECT "+l.columns+newestHits, books.args...)
}

// plainWith lists books for sale with some words.
func (c conn) plainWith(ctx context.Context, words [][]string, before int64, n int) ([]book.Book, error) {
	l := plainLook[book.Book]{
		read: readBook, columns: bookColumns, books: byID,
		expression: c.expression(words, market.Criteria{}), before: before, most: n,
	}
	l.rest.and("b.status = 0")
	return l.newest(ctx, c, usualOnPostgres)
}

// plainNewestWith lists the ids of books for sale with a word.
func (c conn) plainNewestWith(ctx context.Context, word string, n int) ([]book.ID, error) {
	l := plainLook[book.ID]{
		read: integer[book.ID], columns: "h.id",
		expression: c.expression([][]string{{word}}, market.Criteria{}), before: top(book.ID(0)), most: n,
	}
	return l.newest(ctx, c, usualOnPostgres)
}
