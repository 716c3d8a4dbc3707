package marketstore

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
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

func (ginIndex) flush(context.Context) error { return nil }

// A GIN index returns hits in no order, so common and rare terms need different plans: the
// newest entries have the common terms, and the hits of rare terms can be sorted. OFFSET 0
// forces the plan, because the planner assumes that terms are independent.
const (
	ginScan   = "SELECT e.id FROM (SELECT s.rowid AS id, s.terms FROM book_search s WHERE s.rowid < ? ORDER BY s.rowid DESC LIMIT ?) AS e WHERE e.terms @@ ?::tsquery"
	ginFilter = ") AS few CROSS JOIN LATERAL (SELECT terms FROM book_search WHERE rowid = few.id OFFSET 0) AS e WHERE e.terms @@ ?::tsquery ORDER BY few.id DESC OFFSET 0"
	ginSort   = "SELECT hit.id FROM unnest(?::bigint[]) AS hit (id) ORDER BY hit.id DESC OFFSET 0"
)

// newest compares the books within the criteria, if there are few. Otherwise it scans the
// newest entries, a few first, and more if those promise enough. If they do not, it fetches
// hits from the index, up to a bound, and sorts them.
func (i ginIndex) newest(ctx context.Context, words [][]string, c market.Criteria, before int64, n int, try func(idQuery) (int, error)) error {
	groups := ginGroups(facets(c), words)
	expression := strings.Join(groups, " & ")
	if selective, err := i.isSelective(ctx, c, i.bounds.sorted); err != nil || selective {
		u := within(c, before)
		return tryIfNoError(err, try, idQuery{"SELECT few.id FROM (" + u.query + ginFilter, append(u.args, expression), newestFirst})
	}
	found, err := try(idQuery{ginScan, []any{before, i.bounds.firstScan, expression}, newestFirst})
	if err != nil || found == n {
		return err
	}
	if found*i.bounds.secondScan < n*i.bounds.firstScan {
		hits, err := i.indexHits(ctx, groups, before)
		if err != nil || len(hits) < i.bounds.few {
			return tryIfNoError(err, try, idQuery{ginSort, []any{hits}, newestFirst})
		}
	}
	_, err = try(idQuery{ginScan, []any{before, i.bounds.secondScan, expression}, newestFirst})
	return err
}

func tryIfNoError(err error, try func(idQuery) (int, error), q idQuery) error {
	if err == nil {
		_, err = try(q)
	}
	return err
}

// ginGroups writes a condition for each group. Terms consist of letters, digits and
// underscores, so they need no escaping. A scan evaluates the conditions in this order and
// stops at the first that is not met: fewer entries have the facets.
func ginGroups(facets, words [][]string) []string {
	groups := slices.Concat(facets, words)
	conditions := make([]string, len(groups))
	for g, terms := range groups {
		conditions[g] = "('" + strings.Join(terms, "' | '") + "')"
	}
	return conditions
}

// indexHits returns hits in no order. A condition for each group costs half as much as one for all:
// the index skips what lies between the hits of one group in the lists of the others.
func (i ginIndex) indexHits(ctx context.Context, groups []string, before int64) ([]int64, error) {
	args := make([]any, len(groups), len(groups)+2)
	for g, terms := range groups {
		args[g] = terms
	}
	return rawsql.Collect(ctx, i.Conn, rawsql.Integer[int64], "SELECT s.rowid FROM book_search s WHERE "+
		strings.Repeat("s.terms @@ ?::tsquery AND ", len(groups))+"s.rowid + 0 < ? LIMIT ?", append(args, before, i.bounds.few)...)
}
