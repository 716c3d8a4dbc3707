package workstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// Many jobs wait after an import; each is found in the index of those that are due.
func TestAJobIsTakenThroughTheIndexHoweverManyWait(t *testing.T) {
	deep.NotShort(t, "needs Postgres")
	const waiting = "INSERT INTO jobs SELECT i, 'kind', i, '', i, 0, 0, 0, 0, '' FROM "
	for engine, c := range map[string]struct {
		open             func(testing.TB, ...gormstore.Migrations) *gormstore.DB
		numbers, explain string
	}{
		"sqlite":   {database.SQLite, "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n)", "EXPLAIN QUERY PLAN "},
		"postgres": {database.PostgresReused, "generate_series(1, 5000) AS n (i)", "EXPLAIN "},
	} {
		t.Run(engine, func(t *testing.T) {
			db := c.open(t, workstore.Migrations)
			for _, statement := range []string{waiting + c.numbers, "ANALYZE"} {
				must.Do(t, db.Write.Exec(statement).Error)
			}
			var steps []map[string]any
			must.Do(t, db.Write.Raw(c.explain+workstore.TakeStatement(db.Write), "kind", 100).Scan(&steps).Error)
			plan := fmt.Sprint(steps)
			if !strings.Contains(plan, "jobs_due") || strings.Contains(plan, "SCAN jobs") || strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s:\n%s", workstore.TakeStatement(db.Write), plan)
			}
		})
	}
}
