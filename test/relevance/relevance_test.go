// Package relevance_test measures how well the search finds what students look for, with queries of
// which somebody has said by hand what should come first.
package relevance_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/stores"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

// The goal, for each set of queries.
const (
	leastFirst      = 0.95 // the share of queries whose first hit is right
	leastReciprocal = 0.97 // the mean of 1 / rank of the first right hit
	mostViolations  = 0.02 // the share of queries that list something before it that must not be
)

// sets are the queries: the public ones, our own, and some that were written after the rules and for which
// none was made since.
var sets = []string{"public.tsv", "own.tsv", "blind.tsv", "second.tsv", "third.tsv", "fourth.tsv", "fifth.tsv"}

func TestStudentsFindTheBookThatTheyMean(t *testing.T) {
	for _, set := range sets {
		t.Run(set, func(t *testing.T) { measure(t, search(t, stores.SQLite(t)), readQueries(t, set)) })
	}
}

// Both engines find the same in the same order: ranking decides, and it is the same for both.
func TestBothEnginesFindTheSame(t *testing.T) {
	deep.NotShort(t, "it needs Postgres")
	sqlite, postgres := search(t, stores.SQLite(t)), search(t, stores.Over(database.Postgres(t, stores.Schema...)))
	for _, set := range sets {
		for _, q := range readQueries(t, set) {
			if one, other := sqlite(q.text), postgres(q.text); !slices.Equal(one, other) {
				t.Errorf("%q finds %v on SQLite, %v on Postgres", q.text, one, other)
			}
		}
	}
}

// search posts the catalogue and returns a function that searches it as somebody who is not signed in.
func search(t *testing.T, s stores.Stores) func(text string) []book.ID {
	t.Helper()
	stores.Backend(s.DB).AddUser(t, user.User{ID: seller, Email: "seller@campus.edu", Profile: &user.Profile{FirstName: "Ann", University: "Campus"}})
	must.Do(t, s.Market.Atomically(t.Context(), func(ctx context.Context, in market.Stores) error {
		return s.Market.Loader(in).AddBooks(ctx, readBooks(t))
	}))
	catalogue := finding.NewCatalogue(s.Market)
	return func(text string) (ids []book.ID) {
		views, _ := must.Get2(catalogue.Search(t.Context(), user.Caller{}, text, finding.Filter{}, market.Page{}))(t)
		for _, v := range views {
			ids = append(ids, v.ID)
		}
		return ids
	}
}

// score is what a set of queries of one kind gets.
type score struct {
	queries, first, violations int
	reciprocal                 float64
}

func (s *score) add(other score) {
	s.queries, s.first, s.violations, s.reciprocal = s.queries+other.queries, s.first+other.first, s.violations+other.violations, s.reciprocal+other.reciprocal
}

func (s score) String() string {
	n := float64(s.queries)
	return fmt.Sprintf("%4d %8.3f %6.3f %10.3f", s.queries, float64(s.first)/n, s.reciprocal/n, float64(s.violations)/n)
}

// measure prints the score by kind, and fails below the goal.
func measure(t *testing.T, search func(string) []book.ID, queries []query) {
	t.Helper()
	var all score
	kinds := map[string]score{}
	for _, q := range queries {
		found := search(q.text)
		s := scoreOf(q, found)
		if s.first == 0 || s.violations > 0 {
			t.Logf("%s: %q finds %v, wanted %v, not first %v", q.kind, q.text, found[:min(len(found), 6)], q.wanted, q.notFirst)
		}
		of := kinds[q.kind]
		of.add(s)
		kinds[q.kind] = of
		all.add(s)
	}
	table := []string{fmt.Sprintf("%-10s %4s %8s %6s %10s", "kind", "n", "first", "MRR", "violations")}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		table = append(table, fmt.Sprintf("%-10s %v", kind, kinds[kind]))
	}
	t.Logf("\n%s\n%-10s %v", strings.Join(table, "\n"), "all", all)
	if n := float64(all.queries); float64(all.first)/n < leastFirst || all.reciprocal/n < leastReciprocal || float64(all.violations)/n > mostViolations {
		t.Errorf("the search is below the goal: %.2f first, %.2f MRR, %.2f violations", leastFirst, leastReciprocal, mostViolations)
	}
}

func scoreOf(q query, found []book.ID) score {
	wanted := slices.IndexFunc(found, func(id book.ID) bool { return slices.Contains(q.wanted, id) })
	before := slices.IndexFunc(found, func(id book.ID) bool { return slices.Contains(q.notFirst, id) })
	s := score{queries: 1}
	if wanted == 0 {
		s.first = 1
	}
	if wanted >= 0 {
		s.reciprocal = 1 / float64(wanted+1)
	}
	if before >= 0 && (wanted < 0 || before < wanted) {
		s.violations = 1
	}
	return s
}
