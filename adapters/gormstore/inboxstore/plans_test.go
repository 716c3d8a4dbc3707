package inboxstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// manyDeliveries and manyJobs insert n deliveries with a delivered job. Every
// thousandth has another event, and the two oldest are pending and dead.
var manyDeliveries = map[string][]string{
	"sqlite": {
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO inbox_deliveries (seq, source, id, event, action, header, received_at, position)
			SELECT i, CASE WHEN i %% 500 = 0 THEN 'ci' ELSE 'default' END, 'd' || i, CASE WHEN i %% 1000 = 0 THEN 'issues' ELSE 'push' END, '', '', i, i FROM n`,
	},
	"postgres": {
		`INSERT INTO inbox_deliveries (seq, source, id, event, action, header, received_at, position)
			SELECT i, CASE WHEN i %% 500 = 0 THEN 'ci' ELSE 'default' END, 'd' || i, CASE WHEN i %% 1000 = 0 THEN 'issues' ELSE 'push' END, '', '', i, i FROM generate_series(1, %d) i`,
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
		must.Get(write.ExecContext(context.Background(), statement))(tb)
	}
}

// everyQuery combines all filters of a list.
func everyQuery() []inbox.Query {
	var all []inbox.Query
	for _, state := range []string{"", "pending", "delivered", "dead", "unmatched"} {
		for _, event := range []webhook.EventName{"", "issues"} {
			for _, from := range []time.Time{{}, time.UnixMicro(100)} {
				for _, source := range []string{"", inbox.DefaultSource, "ci"} {
					all = append(all, inbox.Query{Source: source, State: state, Event: event, From: from, To: from.Add(time.Hour), Before: 4000, Limit: 51})
				}
			}
		}
	}
	return all
}

// Whatever the filters of a list or a count, each of its statements uses an index; none scans
// the deliveries or jobs.
func TestEveryListAndCountUsesAnIndex(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			fill(t, engine, db, 20_000)
			store := inboxstore.New(db)
			defer closed(t, store)
			plans := map[string]string{}
			store.WatchReads(func(statement string, args []any) {
				if plans[statement] == "" {
					plans[statement] = explain(t, engine, db, statement, args...)
				}
			})
			for _, q := range everyQuery() {
				if _, _, err := store.ListDeliveries(t.Context(), q); err != nil {
					t.Fatal(err)
				}
				if q.From.IsZero() {
					continue
				}
				q.To = q.From.Add(3000 * time.Microsecond)
				must.Get(store.CountDeliveries(t.Context(), q, time.Millisecond))(t)
			}
			for statement, plan := range plans {
				if strings.Contains(plan, "Seq Scan") || scansTable(plan) {
					t.Errorf("%s:\n%s", statement, plan)
				}
			}
			if len(plans) < 8 {
				t.Errorf("only %d statements were seen", len(plans))
			}
		})
	}
}

// scansTable reports whether a plan of SQLite reads a whole table, and not just the rows of
// a subquery.
func scansTable(plan string) bool {
	for line := range strings.Lines(plan) {
		if name, scan := strings.CutPrefix(line, "SCAN "); scan && !strings.Contains(plan, "CO-ROUTINE "+name) {
			return true
		}
	}
	return false
}

// Any number of deliveries that do not match may precede those that do. A page then
// ends early, and its cursor continues the scan.
func TestAListExaminesABoundedNumberOfDeliveries(t *testing.T) {
	db := database.SQLite(t, inboxstore.Migrations)
	fill(t, "sqlite", db, 30_000)
	write, _ := db.SQL()
	must.Get(write.ExecContext(t.Context(), `UPDATE inbox_jobs SET state = 2 WHERE seq > 2`))(t)
	store := inboxstore.New(db)
	defer closed(t, store)
	for _, q := range []inbox.Query{{State: "dead", Event: "gollum"}, {State: "delivered"}} {
		q.Limit = 10
		calls := 0
		for more := true; more; calls++ {
			reads := 0
			store.WatchReads(func(string, []any) { reads++ })
			page, next, err := store.ListDeliveries(t.Context(), q)
			if err != nil || len(page) != 0 || reads > 100 {
				t.Fatalf("%+v: %d deliveries after %d reads, %v", q, len(page), reads, err)
			}
			q.Before, more = next, next != 0
		}
		if calls < 3 || calls > 4 {
			t.Errorf("%s %s: the end was reached in %d pages", q.State, q.Event, calls)
		}
	}
}

// Of more deliveries than a count reads, the oldest steps are left out rather than
// shown too low.
func TestACountLeavesOutTheStepsThatItDidNotReadToTheEnd(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			fill(t, engine, db, 20_000)
			write, _ := db.SQL()
			must.Get(write.ExecContext(t.Context(), `UPDATE inbox_deliveries SET received_at = seq * 1000000`))(t)
			store := inboxstore.New(db)
			defer closed(t, store)
			store.CountAtMost(5000)
			q := inbox.Query{From: time.Unix(1, 0), To: time.Unix(20_001, 0)}
			counts, err := store.CountDeliveries(t.Context(), q, 1000*time.Second)
			if err != nil || len(counts) != 4 || !counts[0].At.Equal(time.Unix(16_001, 0)) || counts[0].Delivered != 1000 || counts[3].Delivered != 1000 {
				t.Errorf("counted %v, %v", counts, err)
			}
			q.To = time.Unix(4001, 0)
			if counts, err = store.CountDeliveries(t.Context(), q, 1000*time.Second); err != nil || len(counts) != 4 || counts[0] != (inbox.Count{At: q.From, Pending: 1, Delivered: 998, Dead: 1}) {
				t.Errorf("in the first steps it counted %v, %v", counts, err)
			}
		})
	}
}

func explain(t *testing.T, engine string, db *gormstore.DB, statement string, args ...any) string {
	t.Helper()
	prefix := map[string]string{"sqlite": "EXPLAIN QUERY PLAN ", "postgres": "EXPLAIN "}[engine]
	write, _ := db.SQL()
	rows := must.Get(write.QueryContext(t.Context(), prefix+statement, args...))(t)
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var a, b, c sql.NullInt64
		var line string
		into := []any{&line}
		if engine == "sqlite" {
			into = []any{&a, &b, &c, &line}
		}
		must.Do(t, rows.Scan(into...))
		plan.WriteString(line + "\n")
	}
	must.Do(t, rows.Err())
	return plan.String()
}
