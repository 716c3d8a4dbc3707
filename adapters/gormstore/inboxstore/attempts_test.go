package inboxstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// A delivery that is sent again and again keeps a bounded number of rows, and deleting it
// deletes those in bounded steps.
func TestTheAttemptsOfOneDeliveryStayBoundedAndGoWithIt(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			fill(t, engine, db, 120)
			store := inboxstore.New(db)
			defer closed(t, store)
			write, _ := db.SQL()
			if _, err := write.ExecContext(t.Context(), `INSERT INTO inbox_attempts (position, job, number, at, target, status, error, duration, answer)
				SELECT a.seq, a.id, b.id, b.id, '', 500, '', 1, '' FROM inbox_jobs a, inbox_jobs b`); err != nil {
				t.Fatal(err)
			}
			attempts := func(where string) (n int) {
				t.Helper()
				must.Do(t, write.QueryRowContext(t.Context(), `SELECT count(*) FROM inbox_attempts`+where).Scan(&n))
				return n
			}
			must.Get(write.ExecContext(t.Context(), `UPDATE inbox_jobs SET state = 1`))(t)
			retention, more, err := store.PruneDeliveries(t.Context(), inbox.Retention{DeliveriesBefore: time.Now(), MaxAttempts: 14_400})
			if step := map[string]int{"sqlite": 1000, "postgres": 10_000}[engine]; err != nil || !more || attempts("") != 14_400-step {
				t.Errorf("after a step %d of 14,400 are left, %v, %v", attempts(""), more, err)
			}
			if d, err := store.FindDelivery(t.Context(), "", "d1"); err != nil {
				t.Errorf("a delivery is deleted before the attempts: %+v, %v", d, err)
			}
			for more && err == nil {
				retention, more, err = store.PruneDeliveries(t.Context(), retention)
			}
			if err != nil || attempts("") != 0 {
				t.Errorf("at the end %d are left, %v", attempts(""), err)
			}
		})
	}
}

func TestARedeliveryDeletesAllButTheLastAttempts(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			store := inboxstore.New(db)
			defer closed(t, store)
			now := time.Now()
			d := inbox.Delivery{Seq: 1, Source: "default", ID: "a", Event: "push", ReceivedAt: now, Payload: []byte("{}")}
			for n := range int64(2 * inbox.MaxDeliveryAttempts) {
				d.Jobs = append(d.Jobs, inbox.Job{ID: n + 1, Seq: 1, Rule: "r", State: inbox.Delivered})
			}
			b := inbox.Batch{Deliveries: []inbox.Delivery{d}}
			for _, job := range d.Jobs {
				b.Outcomes = append(b.Outcomes, inbox.Outcome{Job: job.ID, Attempt: &inbox.Attempt{Job: job.ID, Number: 1, At: now.Add(time.Duration(job.ID) * time.Second)}})
			}
			must.Get(store.CommitBatch(t.Context(), b))(t)
			must.Do(t, store.AddRedelivery(t.Context(), 1, []inbox.Job{{ID: 9999, Seq: 1, Rule: "r"}}))
			write, _ := db.SQL()
			var n, first int
			if err := write.QueryRowContext(t.Context(), `SELECT count(*), min(job) FROM inbox_attempts`).Scan(&n, &first); err != nil || n != inbox.MaxDeliveryAttempts || first != inbox.MaxDeliveryAttempts+1 {
				t.Errorf("%d are left from job %d on, %v", n, first, err)
			}
		})
	}
}

// The newest attempts exceed no limit, so a step that finds nothing to prune examines few rows.
func TestPruningAttemptsUsesIndexes(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			fill(t, engine, db, 20_000)
			write, _ := db.SQL()
			if _, err := write.ExecContext(t.Context(), `INSERT INTO inbox_attempts (position, job, number, at, target, status, error, duration, answer)
				SELECT seq, id, 1, id, 'http://127.0.0.1/', 500, '', 1, '' FROM inbox_jobs`); err != nil {
				t.Fatal(err)
			}
			must.Get(write.ExecContext(t.Context(), "ANALYZE"))(t)
			store := inboxstore.New(db)
			defer closed(t, store)
			for what, statement := range map[string]string{
				"newest": `SELECT id FROM inbox_attempts ORDER BY id DESC LIMIT 1`,
				"oldest": `SELECT id FROM (SELECT id, at FROM inbox_attempts ORDER BY id LIMIT 200) oldest WHERE at < 5 OR id <= 7`,
				"of":     `SELECT * FROM inbox_attempts WHERE position = 7`,
				"delete": `DELETE FROM inbox_attempts WHERE id IN (SELECT id FROM inbox_attempts WHERE position IN (1, 2, 3) LIMIT 1000)`,
			} {
				plan := explain(t, engine, db, statement)
				scans := strings.Contains(plan, "Seq Scan") || engine == "sqlite" && strings.Contains(plan, "SCAN inbox_attempts") && what != "oldest" && what != "newest"
				if scans || strings.Contains(plan, "USE TEMP B-TREE") {
					t.Errorf("%s:\n%s", what, plan)
				}
			}
		})
	}
}
