package inboxstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

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
