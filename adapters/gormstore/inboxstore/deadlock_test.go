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
)

// Every step that meets another process goes on after a deadlock, those of a start
// above all: a process that dies of one is one replica fewer.
func TestADeadlockWithAnotherProcessIsNoticedByNobody(t *testing.T) {
	now := time.Now()
	batch := inbox.Batch{}
	for _, id := range []int64{1, 2} {
		batch.Outcomes = append(batch.Outcomes, inbox.Outcome{Job: id, State: inbox.Delivered, At: now})
	}
	for name, c := range map[string]struct {
		jobs  string // what to make of both jobs before
		table string // whose rows both want
		step  func(context.Context, *inboxstore.Inbox) error
	}{
		"recover": {"state = 0, due_at = 8000000000000000", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			return i.Recover(ctx, now)
		}},
		"bury": {"state = 0, due_at = 0", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			_, err := i.Bury(ctx, nil, "gone", now)
			return err
		}},
		"take over": {"state = 0, owner = 7", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			_, err := i.TakeOver(ctx)
			return err
		}},
		"store": {"state = 0, due_at = 0", "inbox_jobs", func(ctx context.Context, i *inboxstore.Inbox) error {
			_, err := i.Commit(ctx, batch)
			return err
		}},
		"prune": {"state = 1", "inbox_deliveries", func(ctx context.Context, i *inboxstore.Inbox) error {
			_, err := i.Prune(ctx, inbox.Retention{Bodies: now, IDs: now, Most: 1, Now: now})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := database.Connect(t, database.PostgresURL(t)+"&deadlock_timeout=300ms")
			if err := db.Migrate(t.Context(), inboxstore.Migrations); err != nil {
				t.Fatal(err)
			}
			fill(t, "postgres", db, 2)
			write, _ := db.SQL()
			other, err := write.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Close() }()
			store := inboxstore.New(db)
			defer closed(t, store)
			do(t, other, "UPDATE inbox_jobs SET attempts = 0, "+c.jobs)
			// The first to have waited for its deadlock_timeout is the victim: the step.
			do(t, other, "SET deadlock_timeout = '3s'")
			do(t, other, "BEGIN")
			do(t, other, "SELECT 1 FROM "+c.table+" WHERE seq = 2 FOR UPDATE")
			done := make(chan error, 1)
			go func() { done <- c.step(t.Context(), store) }()
			awaitBlocked(t, write)
			if _, err := other.ExecContext(t.Context(), "SELECT 1 FROM "+c.table+" WHERE seq = 1 FOR UPDATE"); err != nil {
				t.Logf("the other process was the victim, which proves nothing: %v", err)
			}
			do(t, other, "COMMIT")
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func do(t *testing.T, conn *sql.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", statement, err))
	}
}

// awaitBlocked waits until somebody in the database waits for a row.
func awaitBlocked(t *testing.T, pool *sql.DB) {
	t.Helper()
	for waiting := 0; waiting == 0; {
		err := pool.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}
