package findingstore

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/finding"
)

func readCounted() ([]any, func() finding.Counted) {
	var c finding.Counted
	return []any{&c.Text, &c.Count}, func() finding.Counted { return c }
}

// ListCoursesFrom implements finding.Reader.
func (s Reader) ListCoursesFrom(ctx context.Context, prefix string, n, bound int) ([]finding.Counted, error) {
	return listFrom(ctx, s.Read, "course_key", "course", "b.status = 0", prefix, n, bound)
}

// ListISBNsFrom implements finding.Reader.
func (s Reader) ListISBNsFrom(ctx context.Context, prefix string, n, bound int) ([]finding.Counted, error) {
	return listFrom(ctx, s.Read, "isbn", "isbn", "b.status = 0 AND b.isbn <> ''", prefix, n, bound)
}

// listFrom lists the values of an indexed column that begin with a prefix, each as the newest book shows it. Each
// step seeks the next value in the index, however many books have one.
func listFrom(ctx context.Context, c marketrows.Handle, column, shown, condition, prefix string, n, bound int) ([]finding.Counted, error) {
	column = "b." + column
	next := "SELECT " + column + " FROM books b WHERE " + condition + " AND " + column
	order := " ORDER BY " + column + " LIMIT 1"
	of := " FROM books b WHERE " + condition + " AND " + column + " = k.found"
	letters := utf8.RuneCountInString(prefix)
	return rawsql.Collect(ctx, c.Conn, readCounted, "WITH RECURSIVE k (found) AS (SELECT * FROM ("+next+" >= ?"+order+") AS first UNION ALL SELECT ("+
		next+" > k.found"+order+") FROM k WHERE substr(k.found, 1, ?) = ?) SELECT (SELECT "+shown+" FROM books WHERE id = (SELECT b.id"+of+
		" ORDER BY b.id DESC LIMIT 1)), (SELECT count(*) FROM (SELECT 1"+of+" LIMIT ?) AS few) FROM k WHERE substr(k.found, 1, ?) = ? LIMIT ?",
		prefix, letters, prefix, bound, letters, prefix, n)
}

// CountBooksByTitle implements finding.Reader.
func (s Reader) CountBooksByTitle(ctx context.Context, keys []string, bound int) ([]int, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	const one = ", (SELECT count(*) FROM (SELECT 1 FROM books b WHERE b.status = 0 AND b.title_key = ? LIMIT ?) AS few)"
	args := make([]any, 0, 2*len(keys))
	for _, key := range keys {
		args = append(args, key, bound)
	}
	counts, _, err := rawsql.One(ctx, s.Read.Conn, integers(len(keys)), "SELECT "+strings.Repeat(one, len(keys))[2:], args...)
	return counts, err
}

// integers scans a row of n numbers.
func integers(n int) rawsql.Scanner[[]int] {
	return func() ([]any, func() []int) {
		found, columns := make([]int64, n), make([]any, n)
		for i := range found {
			columns[i] = &found[i]
		}
		return columns, func() []int { return rawsql.Convert(found, func(n *int64) int { return int(*n) }) }
	}
}
