package findingstore

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
)

// ginIndex is fullText on Postgres.
type ginIndex struct {
	marketrows.Handle
	bounds Bounds
}

func (i ginIndex) add(ctx context.Context, all []book.Book) error {
	ids, terms := make([]int64, len(all)), make([]string, len(all))
	for n, b := range all {
		ids[n], terms[n] = int64(b.ID), strings.Join(indexTerms(b), " ")
	}
	_, err := i.Exec(ctx, `INSERT INTO book_search (rowid, terms) SELECT id, array_to_tsvector(string_to_array(terms, ' '))
		FROM unnest(?::bigint[], ?::text[]) AS b (id, terms)`, ids, terms)
	return err
}

func (i ginIndex) remove(ctx context.Context, id book.ID) error {
	_, err := i.Exec(ctx, "DELETE FROM book_search WHERE rowid = ?", int64(id))
	return err
}

// A GIN index returns hits in no order, so common and rare terms need different plans: the
// newest entries have the common terms, and the hits of rare terms can be sorted. OFFSET 0
// forces the plan, because the planner assumes that terms are independent.
const (
	ginScan   = "SELECT e.id FROM (SELECT s.rowid AS id, s.terms FROM book_search s WHERE s.rowid < ? ORDER BY s.rowid DESC LIMIT ?) AS e WHERE e.terms @@ ?::tsquery"
	ginFilter = ") AS few CROSS JOIN LATERAL (SELECT terms FROM book_search WHERE rowid = few.id OFFSET 0) AS e WHERE e.terms @@ ?::tsquery ORDER BY few.id DESC OFFSET 0"
	// ginEstimate returns the hits among the newest entries times the number of all entries, as
	// the planner knows it: divided by the number of the newest entries, an estimate of all hits.
	ginEstimate = "SELECT CAST(count(*) * (SELECT reltuples FROM pg_class WHERE oid = 'book_search'::regclass) AS BIGINT) FROM (" + ginScan + ") AS newest"
	ginSort     = "SELECT hit.id FROM unnest(?::bigint[]) AS hit (id) ORDER BY hit.id DESC OFFSET 0"
)

// newest compares the books within the criteria, if there are few. Otherwise it scans the
// newest entries, a few first. If those do not promise enough and hits are rare, it sorts
// all hits of the index, else it scans more of the newest entries.
func (i ginIndex) newest(ctx context.Context, words [][]string, c finding.Criteria, before int64, n int, try func(idQuery) (int, error)) error {
	groups := ginGroups(facets(c), words)
	expression := strings.Join(groups, " & ")
	if selective, err := isSelective(ctx, i.Handle, c, i.bounds.Sorted); err != nil || selective {
		u := within(c, before)
		return tryIfNoError(err, try, idQuery{"SELECT few.id FROM (" + u.query + ginFilter, append(u.args, expression), newestFirst})
	}
	found, err := try(idQuery{ginScan, []any{before, i.bounds.FirstScan, expression}, newestFirst})
	if err != nil || found == n {
		return err
	}
	if found*i.bounds.SecondScan < n*i.bounds.FirstScan {
		hits, all, err := i.rareHits(ctx, groups, before)
		if err != nil || all {
			return tryIfNoError(err, try, idQuery{ginSort, []any{hits}, newestFirst})
		}
	}
	_, err = try(idQuery{ginScan, []any{before, i.bounds.SecondScan, expression}, newestFirst})
	return err
}

func tryIfNoError(err error, try func(idQuery) (int, error), q idQuery) error {
	if err == nil {
		_, err = try(q)
	}
	return err
}

// ginCount reads the newest entries once for all terms.
const ginCount = `WITH newest AS MATERIALIZED (SELECT terms FROM book_search ORDER BY rowid DESC LIMIT ?)
	SELECT (SELECT count(*) FROM newest WHERE terms @@ t.term::tsquery) FROM unnest(?::text[]) WITH ORDINALITY AS t (term, i) ORDER BY i`

func (i ginIndex) count(ctx context.Context, terms []string, n int) ([]int, error) {
	groups := make([][]string, len(terms))
	for g, term := range terms {
		groups[g] = []string{term}
	}
	return rawsql.Collect(ctx, i.Conn, rawsql.Integer[int], ginCount, n, ginGroups(nil, groups))
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

// rareHits returns hits in no order, and whether these are all. It does not use the index if
// the newest entries promise many: the index finds every hit before it returns the first, so
// that the limit would save nothing. A condition for each group costs half as much as one for
// all: the index skips what lies between the hits of one group in the lists of the others.
func (i ginIndex) rareHits(ctx context.Context, groups []string, before int64) (hits []int64, all bool, err error) {
	product, _, err := rawsql.One(ctx, i.Conn, rawsql.Integer[int], ginEstimate, before, i.bounds.FirstScan, strings.Join(groups, " & "))
	if err != nil || product >= i.bounds.Few*i.bounds.FirstScan {
		return nil, false, err
	}
	args := make([]any, len(groups), len(groups)+2)
	for g, terms := range groups {
		args[g] = terms
	}
	most := 2 * i.bounds.Few // the estimate may be wrong, and what the index has found would be lost
	hits, err = rawsql.Collect(ctx, i.Conn, rawsql.Integer[int64], "SELECT s.rowid FROM book_search s WHERE "+
		strings.Repeat("s.terms @@ ?::tsquery AND ", len(groups))+"s.rowid + 0 < ? LIMIT ?", append(args, before, most)...)
	return hits, len(hits) < most, err
}
