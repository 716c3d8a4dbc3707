// Package pairs_test looks between the features: each action of the market by each role, while
// what it is about changes between reading and acting, in transactions that run twice and with
// work that fails once. One table says who may do what; the API and the pages are checked
// against it.
package pairs_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/stores"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

// pair is one combination.
type pair struct {
	action action
	role   role
	change change
	twice  bool // every transaction runs twice
	fails  bool // every job fails once
}

func (p pair) String() string {
	return fmt.Sprintf("%s by %s, %s, twice %t, fails %t", p.action.name, p.role.name, p.change.name, p.twice, p.fails)
}

// allPairs calls do with every combination, those of one role one after the other.
func allPairs(do func(n int, p pair)) {
	n := 0
	for _, r := range roles {
		for _, a := range actions {
			for _, c := range changes {
				for _, twice := range []bool{false, true} {
					for _, fails := range []bool{false, true} {
						if a.do != nil {
							do(n, pair{a, r, c, twice, fails})
							n++
						}
					}
				}
			}
		}
	}
}

// How many combinations apart those are that are tried unless OCTAVO_PAIRS is all: with it, SQLite
// tries all. With the race detector fewer are enough, for it is not about them. The steps have no divisor in
// common with the numbers of actions, changes and roles, so that they meet each of them.
const (
	stepSQLite   = 13
	stepRaces    = 53
	stepPostgres = 193
	stepShort    = 193
)

// On SQLite a world is built once for each role, and copied for each combination.
func TestNoRoleGainsByWhatChangesBetweenReadingAndActing(t *testing.T) {
	t.Parallel()
	step := deep.Else(stepSQLite, stepRaces)
	switch {
	case os.Getenv("OCTAVO_PAIRS") == "all":
		step = 1
	case testing.Short():
		step = stepShort
	}
	var built *world
	var image []byte
	sample(t, step, func(t *testing.T, p pair) *world {
		if built == nil || built.role.name != p.role.name {
			built = build(t, p.role, over(database.SQLite(t, stores.Schema...)))
			image = database.SQLiteImage(t, built.db)
		}
		return built.over(database.SQLiteOf(t, image))
	})
}

func TestNoRoleGainsByWhatChangesOnPostgres(t *testing.T) {
	t.Parallel()
	sample(t, stepPostgres, func(t *testing.T, p pair) *world {
		return build(t, p.role, over(database.PostgresReused(t, stores.Schema...)))
	})
}

func sample(t *testing.T, step int, open func(*testing.T, pair) *world) {
	met := map[string]bool{}
	allPairs(func(n int, p pair) {
		if n%step != 0 {
			return
		}
		met[p.action.name], met[p.role.name], met[p.change.name] = true, true, true
		t.Run(p.String(), func(t *testing.T) {
			w := open(t, p)
			if p.twice {
				w.db.RunTwice()
			}
			w.try(t, p)
		})
	})
	for _, name := range names() {
		if !met[name] {
			t.Errorf("the sample does not contain %s", name)
		}
	}
}

func names() (all []string) {
	allPairs(func(_ int, p pair) { all = append(all, p.action.name, p.role.name, p.change.name) })
	slices.Sort(all)
	return slices.Compact(all)
}
