package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// ended is a delivery without an open job.
type ended struct {
	seq, position, receivedAt int64
	reopened                  bool // by a redelivery in the meantime
}

func scanEnded() ([]any, func() ended) {
	var e ended
	return []any{&e.seq, &e.position, &e.receivedAt}, func() ended { return e }
}

// endedBatch are deliveries that one step of PruneDeliveries examines.
type endedBatch []ended

// full reports whether there may be more.
func (b endedBatch) full(i *Inbox) bool { return len(b) == i.pruneBatch }

// filter returns the chosen ones.
func (b endedBatch) filter(chosen func(ended) bool) (all endedBatch) {
	for _, e := range b {
		if !e.reopened && chosen(e) {
			all = append(all, e)
		}
	}
	return all
}

func (b endedBatch) seqs() []int64 { return b.numbers(func(e ended) int64 { return e.seq }) }

func (b endedBatch) positions() []int64 { return b.numbers(func(e ended) int64 { return e.position }) }

func (b endedBatch) numbers(of func(ended) int64) []int64 {
	all := make([]int64, len(b))
	for n, e := range b {
		all[n] = of(e)
	}
	return all
}

// lockEnded selects deliveries d without an open job and locks their rows. A redelivery locks
// its delivery, too: if it was first, it has committed an open job by then.
func (i *Inbox) lockEnded(ctx context.Context, c rawsql.Conn, from string, args ...any) (endedBatch, error) {
	batch, err := rawsql.Collect(ctx, c, scanEnded, `SELECT d.seq, d.position, d.received_at FROM `+from+i.forUpdate(), args...)
	if err != nil || len(batch) == 0 || i.postgres == nil {
		return batch, err
	}
	condition, args := i.anyOf("seq", endedBatch(batch).seqs())
	open, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `SELECT seq FROM inbox_jobs WHERE state = 0 AND `+condition, args...)
	for _, seq := range open {
		for n := range batch {
			batch[n].reopened = batch[n].reopened || batch[n].seq == seq
		}
	}
	return batch, err
}
