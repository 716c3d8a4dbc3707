package marketstore

import (
	"context"
	"iter"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
)

// fts5Index is fullText on SQLite.
type fts5Index struct {
	conn
	bounds bounds
}

// FTS5 writes a segment whenever a transaction has changed it and at each of its
// savepoints. Deferred, the statements of a batch make one segment.
func (i fts5Index) add(ctx context.Context, id book.ID, terms []string) error {
	return gormstore.Defer(ctx, i.Pool, rawsql.Bind(i.Dialect, "INSERT INTO book_search (rowid, terms) VALUES (?, ?)"), int64(id), strings.Join(terms, " "))
}

func (i fts5Index) remove(ctx context.Context, id book.ID) error {
	return gormstore.Defer(ctx, i.Pool, rawsql.Bind(i.Dialect, "DELETE FROM book_search WHERE rowid = ?"), int64(id))
}

func (i fts5Index) settle(ctx context.Context) error { return gormstore.Flush(ctx, i.Pool) }

const fts5Hits = "SELECT rowid AS id FROM book_search WHERE book_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"

// newest is one query: FTS5 walks the books of all terms side by side, newest first, and
// stops after the last hit. A step costs some 60 ns, and a facet is a term of many books, so
// facets are left out where the words have few.
func (i fts5Index) newest(ctx context.Context, words, facets [][]string, before int64) iter.Seq2[idQuery, error] {
	return func(yield func(idQuery, error) bool) {
		match := fts5Match(words)
		if len(facets) > 0 {
			hits, _, err := rawsql.One(ctx, i.Conn, rawsql.Integer[int], "SELECT count(*) FROM ("+fts5Hits+")", match, before, i.bounds.rare)
			if err != nil {
				yield(idQuery{}, err)
				return
			}
			if hits == i.bounds.rare {
				match += " AND " + fts5Match(facets)
			}
		}
		yield(idQuery{fts5Hits, []any{match, before, i.bounds.hits}, newestFirst}, nil)
	}
}

// fts5Match asks for one term of each group. They are letters, digits and underscores alone.
func fts5Match(groups [][]string) string {
	all := make([]string, len(groups))
	for g, terms := range groups {
		all[g] = `("` + strings.Join(terms, `" OR "`) + `")`
	}
	return strings.Join(all, " AND ")
}
