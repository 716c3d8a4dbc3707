package marketstore

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
)

// ginIndex is fullText on Postgres.
type ginIndex struct {
	conn
	bounds bounds
}

func (i ginIndex) add(ctx context.Context, id book.ID, terms []string) error {
	_, err := i.Exec(ctx, "INSERT INTO book_search (rowid, terms) VALUES (?, array_to_tsvector(string_to_array(?, ' ')))", int64(id), strings.Join(terms, " "))
	return err
}

func (i ginIndex) remove(ctx context.Context, id book.ID) error {
	_, err := i.Exec(ctx, "DELETE FROM book_search WHERE rowid = ?", int64(id))
	return err
}

func (ginIndex) settle(context.Context) error { return nil }

// An index of Postgres gives hits in no order, so common terms and rare ones want different
// ways: the newest entries have what is common, and what is rare can be sorted. OFFSET 0 and
// MATERIALIZED leave its planner, which takes terms for independent, no other choice.
const (
	ginHits = "SELECT s.rowid AS id FROM book_search s WHERE s.terms @@ ?::tsquery AND s.rowid + 0 < ? LIMIT ?"
	ginFew  = "SELECT few.id FROM (" + ginHits + " OFFSET 0) AS few ORDER BY few.id DESC OFFSET 0"
	ginWalk = "SELECT e.id FROM (SELECT s.rowid AS id, s.terms FROM book_search s WHERE s.rowid < ? ORDER BY s.rowid DESC LIMIT ?) AS e WHERE e.terms @@ ?::tsquery"
)

// newest looks through the newest entries, a few first. Then it counts what the index has,
// to a bound: below it all hits are sorted, and else they are common, so that more of the
// newest entries are looked through.
func (i ginIndex) newest(ctx context.Context, words, facets [][]string, before int64) iter.Seq2[idQuery, error] {
	groups := slices.Concat(words, facets)
	all := make([]string, len(groups))
	for g, terms := range groups {
		all[g] = "('" + strings.Join(terms, "' | '") + "')" // letters, digits and underscores alone
	}
	expression := strings.Join(all, " & ")
	return func(yield func(idQuery, error) bool) {
		if !yield(idQuery{ginWalk, []any{before, i.bounds.glanced, expression}, newestFirst}, nil) {
			return
		}
		hits := []any{expression, before, i.bounds.few}
		count, _, err := rawsql.One(ctx, i.Conn, rawsql.Integer[int], "SELECT count(*) FROM ("+ginHits+") AS hits", hits...)
		if err != nil || count < i.bounds.few {
			yield(idQuery{ginFew, hits, newestFirst}, err)
			return
		}
		yield(idQuery{ginWalk, []any{before, i.bounds.walked, expression}, newestFirst}, nil)
	}
}
