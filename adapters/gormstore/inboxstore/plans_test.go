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

func feedIDs(t *testing.T, store *inboxstore.Inbox) (ids []string) {
	t.Helper()
	end := must.Get(store.FeedEnd(t.Context()))(t)
	page := must.Get(store.ReadFeed(t.Context(), 0, end, 100))(t)
	for _, d := range page {
		ids = append(ids, d.ID)
	}
	return ids
}

// One process has taken its position and commits after another, which took a later one.
func TestADeliveryThatCommitsLateIsNotMissing(t *testing.T) {
	for _, before := range []int{0, 1} { // with and without an earlier delivery
		db := database.Postgres(t, inboxstore.Migrations)
		store := inboxstore.New(db)
		t.Cleanup(func() { closed(t, store) })
		commit := func(seq int64, id string, jobs ...inbox.Job) error {
			d := inbox.Delivery{Seq: seq, Source: "default", ID: id, Event: "push", ReceivedAt: time.Now(), Payload: []byte("{}"), Jobs: jobs}
			return must.Err(store.CommitBatch(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}))
		}
		var want []string
		for n := range before {
			want = append(want, fmt.Sprint("before ", n))
			must.Do(t, commit(int64(n+1), want[n]))
		}
		write, _ := db.SQL()
		blocker := must.Get(write.Conn(t.Context()))(t)
		defer func() { _ = blocker.Close() }()
		do(t, blocker, "BEGIN")
		do(t, blocker, "LOCK TABLE inbox_jobs IN EXCLUSIVE MODE") // jobs are stored after the payload
		late := make(chan error, 1)
		go func() { late <- commit(10, "late", inbox.Job{ID: 1, Seq: 10, Rule: "r"}) }()
		awaitBlocked(t, write)
		must.Do(t, commit(20, "early"))
		if got := feedIDs(t, store); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("while a transaction with an earlier position runs, the feed has %v, want %v", got, want)
		}
		do(t, blocker, "COMMIT")
		must.Do(t, <-late)
		if got, want := feedIDs(t, store), append(want, "late", "early"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the feed has %v, want %v", got, want)
		}
	}
}

// A transaction that fails leaves a gap, which holds nobody up.
func TestAFailedTransactionDoesNotHoldUpTheFeed(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			store := inboxstore.New(database(t, inboxstore.Migrations))
			defer closed(t, store)
			batch := func(id string) inbox.Batch {
				job := inbox.Job{ID: 1, Seq: int64(len(id)), Rule: "r"} // the same in both
				return inbox.Batch{Deliveries: []inbox.Delivery{{Seq: job.Seq, ID: id, Event: "push", ReceivedAt: time.Now(), Payload: []byte("{}"), Jobs: []inbox.Job{job}}}}
			}
			must.Get(store.CommitBatch(t.Context(), batch("a")))(t)
			if _, err := store.CommitBatch(t.Context(), batch("bb")); err == nil {
				t.Fatal("a job is stored twice")
			}
			third := batch("ccc")
			third.Deliveries[0].Jobs = nil
			must.Get(store.CommitBatch(t.Context(), third))(t)
			if got := feedIDs(t, store); fmt.Sprint(got) != "[a ccc]" {
				t.Errorf("the feed has %v", got)
			}
		})
	}
}

// The lower bits of positions, which the locks have, wrap around.
func TestTheFeedGoesOnBeyondTheBitsOfItsLocks(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	store := inboxstore.New(db)
	defer closed(t, store)
	write, _ := db.SQL()
	if _, err := write.ExecContext(t.Context(), `SELECT setval('inbox_payloads_position_seq', 8589934590)`); err != nil { // 4 * 2^31 - 2
		t.Fatal(err)
	}
	for seq := range int64(6) {
		d := inbox.Delivery{Seq: seq + 1, ID: fmt.Sprint(seq), Event: "push", ReceivedAt: time.Now(), Payload: []byte("{}")}
		must.Get(store.CommitBatch(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}))(t)
	}
	if got := feedIDs(t, store); len(got) != 6 {
		t.Errorf("the feed has %v", got)
	}
	conn := must.Get(write.Conn(t.Context()))(t)
	defer func() { _ = conn.Close() }()
	for low, want := range map[int]int{2147483646: 0, 2147483647: 1, 0: 2, 3: 5, 4: 6, 5: 6} {
		do(t, conn, "BEGIN")
		do(t, conn, fmt.Sprintf("SELECT pg_advisory_xact_lock_shared(%d, %d)", 0x0c7b, low))
		if got := feedIDs(t, store); len(got) != want {
			t.Errorf("with a lock on %d the feed has %v, want %d", low, got, want)
		}
		do(t, conn, "COMMIT")
	}
}
