package findingstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
)

// fts5Index is fullText on SQLite.
type fts5Index struct {
	marketrows.Handle
	bounds Bounds
}

// add defers the statement: FTS5 writes a segment at the end of each transaction that has
// changed it and at each savepoint, so the deferred statements of a batch make one segment.
func (i fts5Index) add(ctx context.Context, all []book.Book) error {
	for _, b := range all {
		err := gormstore.Defer(ctx, i.Pool, rawsql.Bind(i.Dialect, "INSERT INTO book_search (rowid, terms) VALUES (?, ?)"), int64(b.ID), strings.Join(indexTerms(b), " "))
		if err != nil {
			return err
		}
	}
	return nil
}

func (i fts5Index) remove(ctx context.Context, id book.ID) error {
	return gormstore.Defer(ctx, i.Pool, rawsql.Bind(i.Dialect, "DELETE FROM book_search WHERE rowid = ?"), int64(id))
}

const fts5Hits = "SELECT rowid AS id FROM book_search WHERE book_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"

// newest tries one query. FTS5 intersects the lists of all terms, newest first, and stops
// after the last hit. A step costs some 60 ns, and many books have a facet, so the query
// omits the facets if few books have the words.
func (i fts5Index) newest(ctx context.Context, words [][]string, c finding.Criteria, before int64, _ int, try func(idQuery) (int, error)) error {
	if err := gormstore.Flush(ctx, i.Pool); err != nil {
		return err
	}
	match := fts5Match(words)
	if facets := facets(c); len(facets) > 0 {
		hits, _, err := rawsql.One(ctx, i.Conn, rawsql.Integer[int], "SELECT count(*) FROM ("+fts5Hits+")", match, before, i.bounds.Rare)
		if err != nil {
			return err
		}
		if hits == i.bounds.Rare {
			match += " AND " + fts5Match(facets)
		}
	}
	_, err := try(idQuery{fts5Hits, []any{match, before, i.bounds.Hits}, newestFirst})
	return err
}

func (i fts5Index) count(ctx context.Context, terms []string, n int) ([]int, error) {
	if err := gormstore.Flush(ctx, i.Pool); err != nil {
		return nil, err
	}
	oldest, _, err := rawsql.One(ctx, i.Conn, rawsql.Integer[int64], "SELECT id FROM books WHERE status = 0 ORDER BY id DESC LIMIT 1 OFFSET ?", n-1)
	counts := make([]int, len(terms))
	for t := 0; t < len(terms) && err == nil; t++ {
		counts[t], _, err = rawsql.One(ctx, i.Conn, rawsql.Integer[int], "SELECT count(*) FROM book_search WHERE book_search MATCH ? AND rowid >= ?",
			fts5Match([][]string{{terms[t]}}), oldest)
	}
	return counts, err
}

// fts5Match matches one term of each group. Terms consist of letters, digits and underscores,
// so they need no escaping.
func fts5Match(groups [][]string) string {
	all := make([]string, len(groups))
	for g, terms := range groups {
		all[g] = `("` + strings.Join(terms, `" OR "`) + `")`
	}
	return strings.Join(all, " AND ")
}

// FTS5 merges small segments by itself, but never with the largest one: after as many posts
// and cancellations as there are books, eight to twenty segments make two words cost 1.6 times
// as much, and a third of the index are deleted entries. A step of 50 pages takes some 10 ms.
const (
	mergeStep     = "INSERT INTO book_search (book_search, rank) VALUES ('merge', -50)"
	maxMergeSteps = 500
)

// MergeSearchIndex brings what an earlier release has written into the full-text index up to date. Then it
// merges all segments of the index into one, in short transactions. Posts in between prolong it, up to a
// bound. On Postgres there are no segments.
func (s Reader) MergeSearchIndex(ctx context.Context) error {
	if err := s.rebuildSearch(ctx); err != nil || s.Read.IsPostgres() {
		return err
	}
	for range maxMergeSteps {
		changed, err := s.DB.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
			return countChanges(ctx, rawsql.On(tx), mergeStep)
		})
		if err != nil || changed < 2 { // FTS5 counts the command itself
			return err
		}
	}
	return nil
}

// countChanges runs a statement and returns how many rows it changed in any table.
func countChanges(ctx context.Context, c rawsql.Conn, statement string) (int, error) {
	const total = "SELECT total_changes()"
	before, _, err := rawsql.One(ctx, c, rawsql.Integer[int], total)
	if err != nil {
		return 0, err
	}
	if _, err := c.Exec(ctx, statement); err != nil {
		return 0, err
	}
	after, _, err := rawsql.One(ctx, c, rawsql.Integer[int], total)
	return after - before, err
}
