package inboxstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// CommitBatch stores a batch in one transaction.
func (i *Inbox) CommitBatch(ctx context.Context, b inbox.Batch) ([]bool, error) {
	// Before the transaction, because it may need a connection: a transaction that
	// waits for a second connection deadlocks when the pool is exhausted.
	instance, err := i.instanceID(ctx)
	if err != nil {
		return nil, err
	}
	var fresh []bool
	err = i.retryNewPartitions(ctx, func(ctx context.Context, c rawsql.Conn) error {
		known, err := recordHashes(ctx, c, b)
		if err != nil {
			return err
		}
		if fresh, err = i.insertNew(ctx, c, b.Deliveries, known, instance); err != nil {
			return err
		}
		if err := i.recordOutcomes(ctx, c, b.Outcomes); err != nil {
			return err
		}
		i.notifyBatch(c, b, fresh)
		return i.recordAttempts(ctx, c, b.Outcomes)
	})
	return fresh, err
}

// recordHashes stores the hashes of the batch and reports which of them were stored
// already and have not expired. The guarded upsert decides between processes.
func recordHashes(ctx context.Context, c rawsql.Conn, b inbox.Batch) (known []bool, err error) {
	known = make([]bool, len(b.Deliveries))
	for _, n := range sortedIndexes(len(b.Replays), func(n int) string { return string(b.Replays[n].Hash[:]) }) {
		r := b.Replays[n]
		if r.Until.IsZero() {
			continue
		}
		changed, err := c.Exec(ctx, `INSERT INTO inbox_hashes (hash, expires_at) VALUES (?, ?)
			ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE inbox_hashes.expires_at <= ?`,
			r.Hash[:], rawsql.Micros(r.Until), rawsql.Micros(b.Deliveries[n].ReceivedAt))
		if err != nil {
			return nil, err
		}
		known[n] = changed == 0
	}
	return known, nil
}

// insertNew stores the deliveries whose hash is not known, in the order of their
// keys: without one order, two processes with the same ids would deadlock.
func (i *Inbox) insertNew(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, known []bool, instance int64) ([]bool, error) {
	fresh := make([]bool, len(deliveries))
	var chosen []inbox.Delivery
	var at []int
	for _, n := range sortedIndexes(len(deliveries), func(n int) string { return deliveries[n].ID + "\x00" + deliveries[n].Source }) {
		if !known[n] {
			chosen, at = append(chosen, deliveries[n]), append(at, n)
		}
	}
	if len(chosen) == 0 {
		return fresh, nil
	}
	positions, err := i.positions(ctx, c, chosen)
	if err != nil {
		return fresh, err
	}
	inserted, err := i.insertDeliveries(ctx, c, chosen, positions, instance)
	for n, ok := range inserted {
		fresh[at[n]] = ok
	}
	return fresh, err
}

// positions takes a position for each delivery, in the order of their seqs.
func (i *Inbox) positions(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery) ([]int64, error) {
	ascending, err := i.takePositions(ctx, c, deliveries)
	if err != nil {
		return nil, err
	}
	positions := make([]int64, len(deliveries))
	for rank, n := range sortedIndexes(len(deliveries), func(n int) int64 { return deliveries[n].Seq }) {
		positions[n] = ascending[rank]
	}
	return positions, nil
}

const jobColumns = `id, seq, rule, order_key, state, due_at, lease_until, attempts, redelivery, status, error, changed_at`

// leaseOwner is the owner of a job's lease, 0 without one.
func leaseOwner(j inbox.Job, instance int64) int64 {
	if j.LeaseUntil.IsZero() {
		return 0
	}
	return instance
}

// recordOutcomes records outcomes in the order of the jobs, so that processes do not
// deadlock. Attempts fence the update: a job that was claimed again has more.
func (i *Inbox) recordOutcomes(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	ordered := make([]inbox.Outcome, 0, len(outcomes))
	for _, n := range sortedIndexes(len(outcomes), func(n int) int64 { return outcomes[n].Job }) {
		ordered = append(ordered, outcomes[n])
	}
	return i.updateJobs(ctx, c, ordered)
}

// sortedIndexes returns the indexes from 0 to n-1 in the order of their keys.
func sortedIndexes[K cmp.Ordered](n int, key func(int) K) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}
