package inboxstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
)

// databases opens an empty database of each engine.
var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

func open(t *testing.T, engine string) contract.InboxStore {
	t.Helper()
	store := inboxstore.New(database.WithoutPolls(databases[engine](t, inboxstore.Migrations)))
	t.Cleanup(func() { closed(t, store) })
	return store
}

func closed(t *testing.T, store *inboxstore.Inbox) {
	t.Helper()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestInbox(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) {
			contract.Inbox(t, func(t *testing.T) contract.InboxStore { return open(t, engine) })
		})
	}
}

// A transaction runs again after a deadlock and, on SQLite, when the commit that it shares fails.
func TestInboxThoughEveryTransactionRunsTwice(t *testing.T) {
	deep.NotShort(t, "repeats the suite with every transaction run twice")
	contract.Inbox(t, func(t *testing.T) contract.InboxStore {
		store := inboxstore.New(database.Twice(database.WithoutPolls(database.SQLite(t, inboxstore.Migrations))))
		t.Cleanup(func() { closed(t, store) })
		return store
	})
}

// crowded prepares partitions of four deliveries before each batch.
type crowded struct{ *inboxstore.Inbox }

func (c crowded) CommitBatch(ctx context.Context, b inbox.Batch) ([]bool, error) {
	if err := c.PrepareStorage(ctx, 0); err != nil {
		return nil, err
	}
	return c.Inbox.CommitBatch(ctx, b)
}

func openCrowded(t *testing.T) crowded {
	t.Helper()
	store := inboxstore.New(database.WithoutPolls(database.Postgres(t, inboxstore.Migrations)))
	t.Cleanup(func() { closed(t, store) })
	store.Shrink()
	return crowded{store}
}

func TestInboxInManyPartitions(t *testing.T) {
	deep.Only(t, "repeats the suite over many partitions")
	contract.Inbox(t, func(t *testing.T) contract.InboxStore { return openCrowded(t) })
	t.Run("any sequence of calls", func(t *testing.T) { contract.InboxModel(t, openCrowded(t)) })
}

func TestJobsOfADeadProcessAreDueAfterARestart(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			contract.InboxRestart(t, func(t *testing.T) (contract.InboxStore, func(), func() contract.InboxStore) {
				db := database(t, inboxstore.Migrations)
				first := inboxstore.New(db)
				return first, func() { closed(t, first) }, func() contract.InboxStore {
					next := inboxstore.New(db)
					t.Cleanup(func() { closed(t, next) })
					return next
				}
			})
		})
	}
}

func TestReplicasReclaimOnlyTheLeasesOfDeadProcesses(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	one, other := inboxstore.New(db), inboxstore.New(db)
	t.Cleanup(func() { closed(t, other) })
	contract.InboxReplicas(t, one, other, func() { closed(t, one) })
}

// When Postgres ends the connection of the instance lock, other processes reclaim
// the leases at once, and the process itself continues with a new id.
func TestALostConnectionReleasesItsLeases(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	one, other := inboxstore.New(db), inboxstore.New(db)
	t.Cleanup(func() { closed(t, other); closed(t, one) })
	contract.InboxReplicas(t, one, other, func() {
		write, _ := db.SQL()
		if _, err := write.ExecContext(t.Context(), `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN inbox_jobs j ON j.owner = l.objid::bigint
			WHERE l.locktype = 'advisory' AND j.seq = 10`); err != nil {
			t.Fatal(err)
		}
	})
	if _, _, err := one.ReclaimLeases(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := one.ClaimJobs(t.Context(), inbox.Claim{Rule: "push=http://127.0.0.1:9/", Now: time.Now(), LeaseUntil: time.Now().Add(time.Minute), Limit: 1}); err != nil {
		t.Errorf("it can no longer claim jobs: %v", err)
	}
}

func TestAnySequenceOfCallsGivesTheSameAnswersAsTheMemoryStore(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) { contract.InboxModel(t, open(t, engine)) })
	}
}

// A delivery that is sent at once is stored with a lease, and the first lease
// occupies a connection of the pool permanently.
func TestConcurrentFirstDeliveriesDoNotExhaustTheConnections(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	pool, _ := db.SQL()
	pool.SetMaxOpenConns(2)
	store := inboxstore.New(db)
	t.Cleanup(func() { closed(t, store) })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	now := time.Now()
	var all sync.WaitGroup
	for n := range int64(8) {
		all.Go(func() {
			job := inbox.Job{ID: n + 1, Seq: n + 1, Rule: "r", Attempts: 1, DueAt: now, LeaseUntil: now.Add(time.Minute)}
			d := inbox.Delivery{Seq: n + 1, ID: fmt.Sprint(n), Event: "push", ReceivedAt: now, Payload: []byte("{}"), Jobs: []inbox.Job{job}}
			if _, err := store.CommitBatch(ctx, inbox.Batch{Deliveries: []inbox.Delivery{d}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
