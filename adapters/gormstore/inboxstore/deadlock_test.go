package inboxstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// deadlock is an operation that locks two rows in an order of its own.
type deadlock struct {
	jobs  string // the state of both jobs before
	table string // whose rows both processes lock
	step  func(context.Context, *inboxstore.Inbox) error
}

// Every operation that can deadlock with another process is retried, above all those
// at start: a deadlock there would end the process.
func TestAnOperationSurvivesADeadlockWithAnotherProcess(t *testing.T) {
	now := time.Now()
	batch := inbox.Batch{}
	for _, id := range []int64{1, 2} {
		batch.Outcomes = append(batch.Outcomes, inbox.Outcome{Job: id, State: inbox.Delivered, At: now})
	}
	for name, c := range map[string]deadlock{
		"requeue": {"state = 0, due_at = 8000000000000000", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			return i.RequeueJobs(ctx, now)
		}},
		"dead-letter": {"state = 0, due_at = 0", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			return must.Err(i.DeadLetterJobs(ctx, nil, "gone", now))
		}},
		"reclaim": {"state = 0, owner = 7", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			return must.Err(i.ReclaimLeases(ctx))
		}},
		"store": {"state = 0, due_at = 0", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			return must.Err(i.CommitBatch(ctx, batch))
		}},
		"prune": {"state = 1", "inbox_deliveries", func(ctx context.Context, i *inboxstore.Inbox) error {
			return must.Err(i.PruneDeliveries(ctx, inbox.Retention{PayloadsBefore: now, DeliveriesBefore: now, Now: now}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.survives(t)
		})
	}
}

// survives runs the operation while another process holds the second row and waits for the first.
func (c deadlock) survives(t *testing.T) {
	t.Helper()
	db := database.Connect(t, database.PostgresURL(t)+"&deadlock_timeout=300ms")
	must.Do(t, db.Migrate(t.Context(), inboxstore.Migrations))
	fill(t, "postgres", db, 2)
	write, _ := db.SQL()
	other := must.Get(write.Conn(t.Context()))(t)
	defer func() { _ = other.Close() }()
	store := inboxstore.New(db)
	defer closed(t, store)
	do(t, other, "UPDATE inbox_jobs SET attempts = 0, "+c.jobs)
	// The first to reach its deadlock_timeout is the victim. It must be the step.
	do(t, other, "SET deadlock_timeout = '3s'")
	do(t, other, "BEGIN")
	do(t, other, "SELECT 1 FROM "+c.table+" WHERE seq = 2 FOR UPDATE")
	done := make(chan error, 1)
	go func() { done <- c.step(t.Context(), store) }()
	awaitBlocked(t, write)
	if _, err := other.ExecContext(t.Context(), "SELECT 1 FROM "+c.table+" WHERE seq = 1 FOR UPDATE"); err != nil {
		t.Logf("the other process was the victim, so the step was not tested: %v", err)
	}
	do(t, other, "COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func do(t *testing.T, conn *sql.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", statement, err))
	}
}

// awaitBlocked waits until a session of the database waits for a lock.
func awaitBlocked(t *testing.T, pool *sql.DB) {
	t.Helper()
	for waiting := 0; waiting == 0; {
		err := pool.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		must.Do(t, err)
	}
}
