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

// A GIN index returns hits in no order, so common and rare terms need different plans: the
// newest entries have the common terms, and the hits of rare terms can be sorted. OFFSET 0
// forces the plan, because the planner assumes that terms are independent.
const (
	ginWalk = "SELECT e.id FROM (SELECT s.rowid AS id, s.terms FROM book_search s WHERE s.rowid < ? ORDER BY s.rowid DESC LIMIT ?) AS e WHERE e.terms @@ ?::tsquery"
	ginSort = "SELECT hit.id FROM unnest(?::bigint[]) AS hit (id) ORDER BY hit.id DESC OFFSET 0"
)

// newest first scans a few of the newest entries. Then it fetches hits from the index up to a
// bound. If there are fewer, it sorts them; otherwise the terms are common, and it scans more
// of the newest entries.
func (i ginIndex) newest(ctx context.Context, words, facets [][]string, before int64) iter.Seq2[idQuery, error] {
	groups := slices.Concat(words, facets)
	all := make([]string, len(groups))
	for g, terms := range groups {
		all[g] = "('" + strings.Join(terms, "' | '") + "')" // letters, digits and underscores need no escaping
	}
	expression := strings.Join(all, " & ")
	return func(yield func(idQuery, error) bool) {
		if !yield(idQuery{ginWalk, []any{before, i.bounds.glanced, expression}, newestFirst}, nil) {
			return
		}
		hits, err := i.some(ctx, all, before)
		if err != nil || len(hits) < i.bounds.few {
			yield(idQuery{ginSort, []any{hits}, newestFirst}, err)
			return
		}
		yield(idQuery{ginWalk, []any{before, i.bounds.walked, expression}, newestFirst}, nil)
	}
}

// some returns hits in no order. A condition for each group costs half as much as one for all:
// the index skips what lies between the hits of one group in the lists of the others.
func (i ginIndex) some(ctx context.Context, groups []string, before int64) ([]int64, error) {
	args := make([]any, len(groups), len(groups)+2)
	for g, terms := range groups {
		args[g] = terms
	}
	return rawsql.Collect(ctx, i.Conn, rawsql.Integer[int64], "SELECT s.rowid FROM book_search s WHERE "+
		strings.Repeat("s.terms @@ ?::tsquery AND ", len(groups))+"s.rowid + 0 < ? LIMIT ?", append(args, before, i.bounds.few)...)
}
