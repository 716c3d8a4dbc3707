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

// storeMany stores deliveries, each with an attempt, one in ten of them still to be sent.
func storeMany(t *testing.T, store crowded, first, n int) {
	t.Helper()
	for seq := int64(first); seq < int64(first+n); seq++ {
		job := inbox.Job{ID: seq, Seq: seq, Rule: pushRule, DueAt: noon, State: inbox.Delivered}
		if seq%10 == 0 {
			job.State = inbox.Open
		}
		d := inbox.Delivery{Seq: seq, ID: fmt.Sprint(seq), Event: "push", ReceivedAt: noon, Payload: []byte("{}"), Jobs: []inbox.Job{job}}
		b := inbox.Batch{Deliveries: []inbox.Delivery{d}, Outcomes: []inbox.Outcome{{Job: seq, Attempts: 7, Attempt: &inbox.Attempt{Job: seq, Number: 1, At: noon}}}}
		must.Get(store.CommitBatch(t.Context(), b))(t)
	}
}

func pruneAll(t *testing.T, store crowded) {
	t.Helper()
	for range 2 { // the second run drops what the first one has emptied
		r, more, err := store.PruneDeliveries(t.Context(), inbox.Retention{PayloadsBefore: noon.Add(time.Hour), DeliveriesBefore: noon.Add(time.Hour), MaxAttempts: 1000, Now: noon})
		for more && err == nil {
			r, more, err = store.PruneDeliveries(t.Context(), r)
		}
		must.Do(t, err)
	}
}

// numbers scans one row.
func numbers(t *testing.T, pool *sql.DB, statement string) (a, b int) {
	t.Helper()
	must.Do(t, pool.QueryRowContext(t.Context(), statement).Scan(&a, &b))
	return a, b
}

const countPartitions = `SELECT count(*) FILTER (WHERE inhparent = 'inbox_payloads'::regclass), count(*) FILTER (WHERE inhparent = 'inbox_attempts'::regclass) FROM pg_inherits`

func TestEmptyPartitionsAreDroppedAndUnsentDeliveriesAreKept(t *testing.T) {
	store := openCrowded(t)
	pool := store.Pool()
	storeMany(t, store, 1, 60)
	if payloads, attempts := numbers(t, pool, countPartitions); payloads < 15 || attempts != payloads {
		t.Fatalf("60 deliveries are in %d and %d partitions of four", payloads, attempts)
	}
	pruneAll(t, store)
	if payloads, attempts := numbers(t, pool, countPartitions); payloads > 5 || attempts > 5 {
		t.Errorf("%d and %d partitions are left", payloads, attempts)
	}
	if payloads, attempts := numbers(t, pool, `SELECT (SELECT count(*) FROM inbox_payloads), (SELECT count(*) FROM inbox_attempts)`); payloads != 6 || attempts != 6 {
		t.Errorf("%d payloads and %d attempts are left", payloads, attempts)
	}
	tasks := claimed(t, store.Inbox)
	if len(tasks) != 6 {
		t.Fatalf("%d can be sent, want 6", len(tasks))
	}
	for _, task := range tasks {
		if d, err := store.FindDelivery(t.Context(), "", task.DeliveryID); err != nil || len(d.Attempts) != 1 || string(task.Payload) != "{}" {
			t.Errorf("%s: %+v, %v", task.DeliveryID, d, err)
		}
		must.Get(store.CommitBatch(t.Context(), inbox.Batch{Outcomes: []inbox.Outcome{{Job: task.ID, Attempts: task.Attempts, State: inbox.Delivered}}}))(t)
	}
	pruneAll(t, store)
	if payloads, attempts := numbers(t, pool, `SELECT (SELECT count(*) FROM inbox_payloads), (SELECT count(*) FROM inbox_attempts)`); payloads != 0 || attempts != 0 {
		t.Errorf("after they were sent, %d payloads and %d attempts are left", payloads, attempts)
	}
}

// Counting a billion rows takes longer than a statement may.
func TestALimitThatIsTooLargeToCountIsEstimated(t *testing.T) {
	store := openCrowded(t)
	storeMany(t, store, 1, 19)
	store.EstimateFrom(5)
	for most, want := range map[int]int64{4: 15, 5: 14, 18: 1, 19: 0, 1000: 0} { // one of them is unsent
		if seq, err := store.FindExcess(t.Context(), most); err != nil || seq != want {
			t.Errorf("with a maximum of %d, all up to %d are too many, want %d, %v", most, seq, want, err)
		}
	}
}

// A backup locks every table for as long as it takes.
func TestDuringABackupDeliveriesAreStoredAndPruningIsPostponed(t *testing.T) {
	store := openCrowded(t)
	pool := store.Pool()
	storeMany(t, store, 1, 30)
	backup := must.Get(pool.Conn(t.Context()))(t)
	defer func() { _ = backup.Close() }()
	do(t, backup, "BEGIN")
	for _, table := range []string{"inbox_payloads", "inbox_payloads_rest", "inbox_attempts", "inbox_attempts_rest"} {
		do(t, backup, "LOCK TABLE "+table+" IN ACCESS SHARE MODE")
	}
	before, _ := numbers(t, pool, countPartitions)
	storeMany(t, store, 31, 10)
	pruneAll(t, store)
	if after, _ := numbers(t, pool, countPartitions); after != before {
		t.Errorf("%d partitions became %d", before, after)
	}
	do(t, backup, "COMMIT")
	storeMany(t, store, 41, 10)
	pruneAll(t, store)
	if payloads, attempts := numbers(t, pool, `SELECT (SELECT count(*) FROM inbox_payloads), (SELECT count(*) FROM inbox_attempts)`); payloads != 5 || attempts != 5 {
		t.Errorf("afterwards %d payloads and %d attempts are left", payloads, attempts)
	}
}

// Two processes store while partitions are created and dropped below them.
func TestNothingIsLostWhilePartitionsComeAndGo(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	one, other := crowded{inboxstore.New(db)}, crowded{inboxstore.New(db)}
	ctx, cancel := context.WithCancel(t.Context())
	pruned := make(chan error, 1)
	one.Shrink()
	other.Shrink()
	go func() {
		for ctx.Err() == nil {
			if _, _, err := one.PruneDeliveries(t.Context(), inbox.Retention{PayloadsBefore: noon.Add(time.Hour), DeliveriesBefore: noon.Add(time.Hour), MaxAttempts: 1000, Now: noon}); err != nil {
				pruned <- err
				return
			}
		}
		pruned <- nil
	}()
	sent := make(chan bool)
	for n, store := range []crowded{one, other} {
		go func() { storeMany(t, store, 1000*(n+1), 100); sent <- true }()
	}
	for range 2 {
		<-sent
	}
	cancel()
	if err := <-pruned; err != nil {
		t.Error(err)
	}
	pruneAll(t, one)
	all, err := one.ClaimJobs(t.Context(), inbox.Claim{Rule: pushRule, Now: noon, LeaseUntil: noon.Add(time.Minute), Limit: 100})
	if err != nil || len(all) != 20 {
		t.Errorf("%d deliveries wait to be sent, %v; want 20", len(all), err)
	}
	for _, task := range all {
		if string(task.Payload) != "{}" {
			t.Errorf("%s has the payload %q", task.DeliveryID, task.Payload)
		}
	}
	for _, store := range []crowded{one, other} {
		closed(t, store.Inbox)
	}
}
