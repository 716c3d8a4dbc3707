package inboxstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
)

// manyDeliveries fills the tables with n deliveries whose job is done. Every
// thousandth is of another event, and the two oldest are pending and dead.
var manyDeliveries = map[string][]string{
	"sqlite": {
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO inbox_deliveries (seq, id, event, action, received_at) SELECT i, 'd' || i, CASE WHEN i %% 1000 = 0 THEN 'issues' ELSE 'push' END, '', i FROM n`,
	},
	"postgres": {
		`INSERT INTO inbox_deliveries (seq, id, event, action, received_at)
			SELECT i, 'd' || i, CASE WHEN i %% 1000 = 0 THEN 'issues' ELSE 'push' END, '', i FROM generate_series(1, %d) i`,
	},
}

const manyJobs = `INSERT INTO inbox_jobs (id, seq, rule, order_key, state, due_at, lease_until, attempts, redelivery, status, error, changed_at)
	SELECT seq, seq, 'r', '', CASE seq WHEN 1 THEN 0 WHEN 2 THEN 2 ELSE 1 END, 0, 0, 1, 0, 200, '', 0 FROM inbox_deliveries`

func fill(tb testing.TB, engine string, db *gormstore.DB, n int) {
	tb.Helper()
	write, _ := db.SQL()
	for _, statement := range append(manyDeliveries[engine], manyJobs, `ANALYZE`) {
		if strings.Contains(statement, "%d") {
			statement = fmt.Sprintf(statement, n)
		}
		if _, err := write.ExecContext(context.Background(), statement); err != nil {
			tb.Fatal(err)
		}
	}
}

// Each filter of a list is read from an index: no statement of it walks over the
// deliveries, or the jobs, of others.
func TestListsAreReadFromIndexes(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			fill(t, engine, db, 5000)
			for what, statement := range map[string]string{
				"by event":       `SELECT seq, id FROM inbox_deliveries d WHERE event = 'gollum' ORDER BY seq DESC LIMIT 51`,
				"event, page":    `SELECT seq, id FROM inbox_deliveries d WHERE event = 'issues' AND seq < 4000 ORDER BY seq DESC LIMIT 51`,
				"by cursor":      `SELECT seq, id FROM inbox_deliveries d WHERE seq < 4000 ORDER BY seq DESC LIMIT 51`,
				"what is open":   `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 0 AND seq < 4000 ORDER BY seq DESC LIMIT 500`,
				"what is dead":   `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 2 AND seq < 4000 ORDER BY seq DESC LIMIT 500`,
				"of some, open":  `SELECT seq, id FROM inbox_deliveries d WHERE seq IN (1, 2, 3) ORDER BY seq DESC LIMIT 51`,
				"jobs of a page": `SELECT id FROM inbox_jobs WHERE seq IN (1, 2, 3) ORDER BY id`,
			} {
				if plan := explain(t, engine, db, statement); strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN d") || strings.Contains(plan, "SCAN inbox") {
					t.Errorf("%s:\n%s", what, plan)
				}
			}
		})
	}
}

func explain(t *testing.T, engine string, db *gormstore.DB, statement string) string {
	t.Helper()
	prefix := map[string]string{"sqlite": "EXPLAIN QUERY PLAN ", "postgres": "EXPLAIN "}[engine]
	write, _ := db.SQL()
	rows, err := write.QueryContext(t.Context(), prefix+statement)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var a, b, c sql.NullInt64
		var line string
		into := []any{&line}
		if engine == "sqlite" {
			into = []any{&a, &b, &c, &line}
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// BenchmarkList asks for the few among the many; figures at both sizes should be
// near each other.
func BenchmarkList(b *testing.B) {
	for engine, database := range databases {
		for _, n := range []int{10_000, 1_000_000} {
			db := database(b, inboxstore.Migrations)
			fill(b, engine, db, n)
			store, err := inboxstore.New(b.Context(), db)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = store.Close() })
			for _, q := range []inbox.Query{{}, {Event: "issues"}, {Event: "gollum"}, {State: "pending"}, {State: "dead"}, {State: "delivered"}} {
				b.Run(fmt.Sprintf("%s/%d/%s%s", engine, n, q.Event, q.State), func(b *testing.B) {
					q.Limit = 51
					for b.Loop() {
						if _, err := store.List(b.Context(), q); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
