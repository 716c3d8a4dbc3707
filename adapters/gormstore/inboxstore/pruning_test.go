package inboxstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

// BenchmarkPrune prunes deliveries of 8 KB, each with a job and an attempt, as when
// WEBHOOK_KEEP_MOST is exceeded, without the pauses of the service.
//
//	go test -run xxx -bench Prune -benchtime 1x ./adapters/gormstore/inboxstore
func BenchmarkPrune(b *testing.B) {
	size := 50_000
	if testing.Short() {
		size = 1000
	}
	for _, c := range []struct {
		engine     string
		partitions bool
	}{{"sqlite", false}, {"postgres", false}, {"postgres", true}} {
		b.Run(fmt.Sprintf("%s/partitions=%t", c.engine, c.partitions), func(b *testing.B) {
			store := inboxstore.New(databases[c.engine](b, inboxstore.Migrations))
			b.Cleanup(func() { _ = store.Close() })
			store.Partition(int64(size / 10))
			for b.Loop() {
				b.StopTimer()
				crowd(b, store, size, c.partitions)
				b.StartTimer()
				prune(b, store, size)
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}

func crowd(b *testing.B, store *inboxstore.Inbox, size int, prepared bool) {
	b.Helper()
	payload, _ := sample.Payload("push")
	for first := 1; first <= size; first += 250 {
		if prepared {
			if err := store.PrepareStorage(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
		}
		var batch inbox.Batch
		for n := first; n < first+250; n++ {
			seq := int64(n)
			job := inbox.Job{ID: seq, Seq: seq, Rule: pushRule, DueAt: noon, State: inbox.Delivered}
			batch.Deliveries = append(batch.Deliveries, inbox.Delivery{Seq: seq, ID: fmt.Sprint(seq), Event: "push", ReceivedAt: noon, Payload: payload, Jobs: []inbox.Job{job}})
			batch.Outcomes = append(batch.Outcomes, inbox.Outcome{Job: seq, Attempts: 7, Attempt: &inbox.Attempt{Job: seq, Number: 1, At: noon, Target: "http://127.0.0.1/", Answer: "ok"}})
		}
		if _, err := store.CommitBatch(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

// prune is two runs: the second drops the partitions that the first has emptied.
func prune(b *testing.B, store *inboxstore.Inbox, size int) {
	b.Helper()
	for range 2 {
		r := inbox.Retention{MaxAttempts: 2 * size, Now: noon, AttemptsBefore: noon.Add(-time.Hour)}
		var err error
		if r.UpTo, err = store.FindExcess(b.Context(), 10); err != nil {
			b.Fatal(err)
		}
		for more := true; more; {
			if r, more, err = store.PruneDeliveries(b.Context(), r); err != nil {
				b.Fatal(err)
			}
		}
	}
}
