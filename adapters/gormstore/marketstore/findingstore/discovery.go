package findingstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// CountBooksForSale implements finding.Reader. It reads from the same indexes as ListBooksForSale.
func (s Reader) CountBooksForSale(ctx context.Context, c finding.Criteria, bound int) (int, error) {
	if c.ISBN == "" && c.Course == "" {
		return countByPrice(ctx, s.Read, c, bound)
	}
	w := byIndexAndAge(c)
	count, _, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[int], "SELECT count(*) FROM (SELECT 1 FROM books b "+w.String()+" LIMIT ?) AS few", append(w.Args, bound)...)
	return count, err
}

// packedCopies is more than the copies of a title that are considered: SummariseTitles packs its three
// aggregates into one number, so that one subquery a title reads the index once and nothing is sorted.
const packedCopies = 1 << 20

// SummariseTitles implements finding.Reader. The index of ISBNs has all columns that it reads. It
// pads the list of ISBNs with one that no book has.
func (s Reader) SummariseTitles(ctx context.Context, isbns []book.ISBN, c finding.Criteria, sort finding.Sort, at market.Position, max int) ([]finding.TitleSummary, error) {
	c.ISBN = ""
	w := criteria(c)
	var args []any
	for _, isbn := range rawsql.Padded(append(isbns[:len(isbns):len(isbns)], "")) {
		args = append(args, string(isbn))
	}
	rows := strings.Repeat("(?), ", len(args)-1) + "(?)"
	before, position := listedBefore(sort, at)
	args = append(append(append(args, max), position...), w.Args...)
	titles, err := rawsql.CollectUpTo(ctx, s.Read.Conn, len(isbns)+1, readTitle, "WITH i (isbn) AS (VALUES "+rows+`), k AS MATERIALIZED
		(SELECT isbn, COALESCE((SELECT b.id FROM books b WHERE b.status = 0 AND b.isbn = i.isbn AND b.isbn <> '' ORDER BY b.id DESC LIMIT 1 OFFSET ?), 0) AS beyond FROM i)
		SELECT isbn, beyond, COALESCE((SELECT (min(b.price) * 2 + max(CASE WHEN `+before+" THEN 1 ELSE 0 END)) * "+strconv.Itoa(packedCopies)+" + count(*) FROM books b "+
		w.String()+" AND b.isbn = k.isbn AND b.isbn <> '' AND b.id > k.beyond), 0) FROM k", args...)
	return slices.DeleteFunc(titles, func(t finding.TitleSummary) bool { return t.Copies.N == 0 }), err
}

// listedBefore is the condition for books that a list in an order has up to a position.
func listedBefore(sort finding.Sort, at market.Position) (string, []any) {
	switch {
	case at.Start():
		return "b.id < 0", nil
	case sort == finding.PriceAsc:
		return "b.price < ? OR b.price = ? AND b.id >= ?", []any{at.Key, at.Key, at.ID}
	case sort == finding.PriceDesc:
		return "b.price > ? OR b.price = ? AND b.id >= ?", []any{at.Key, at.Key, at.ID}
	}
	return "b.id >= ?", []any{at.ID}
}

func readTitle() ([]any, func() finding.TitleSummary) {
	var isbn string
	var beyond, packed int64
	return []any{&isbn, &beyond, &packed}, func() finding.TitleSummary {
		copies, rest := packed%packedCopies, packed/packedCopies
		return finding.TitleSummary{
			ISBN: book.ISBN(isbn), Copies: market.Count{N: int(copies), More: beyond > 0}, Lowest: money.Amount(rest / 2), Before: rest%2 > 0,
		}
	}
}

// ListUniversities implements finding.Reader. Each step seeks the next key in the index.
func (s Reader) ListUniversities(ctx context.Context, n int) ([]string, error) {
	const next = "SELECT b.university_key FROM books b WHERE b.status = 0 AND b.university_key > "
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Text[string], "WITH RECURSIVE k (university_key) AS (SELECT * FROM ("+next+`'' ORDER BY b.university_key LIMIT 1) AS first
		UNION ALL SELECT (`+next+`k.university_key ORDER BY b.university_key LIMIT 1) FROM k WHERE k.university_key IS NOT NULL)
		SELECT (SELECT university FROM books WHERE id = (SELECT b.id FROM books b WHERE b.status = 0 AND b.university_key = k.university_key ORDER BY b.id DESC LIMIT 1))
		FROM k WHERE k.university_key IS NOT NULL LIMIT ?`, n)
}

// ListNewCourses implements finding.Reader.
func (s Reader) ListNewCourses(ctx context.Context, university string, n int) ([]string, error) {
	w := byIndexAndAge(finding.Criteria{University: university})
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Text[string], "SELECT min(b.course) FROM (SELECT b.id FROM books b "+
		w.String()+" ORDER BY b.id DESC LIMIT ?) AS h"+s.Read.JoinBook()+" GROUP BY b.course_key ORDER BY b.course_key", append(w.Args, n)...)
}
