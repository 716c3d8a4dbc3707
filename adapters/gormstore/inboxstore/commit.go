package inboxstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// Commit stores a batch in one transaction.
func (i *Inbox) Commit(ctx context.Context, b inbox.Batch) ([]bool, error) {
	owner, err := i.dialect.owner(ctx) // may need a connection: a transaction that waits for one holds another
	if err != nil {
		return nil, err
	}
	var fresh []bool
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		known, err := noteHashes(ctx, c, b)
		if err != nil {
			return err
		}
		if fresh, err = i.insertUnknown(ctx, c, b.Deliveries, known, owner); err != nil {
			return err
		}
		return settle(ctx, c, b.Outcomes)
	})
	return fresh, err
}

// noteHashes keeps the hashes of the batch and tells which of them were there
// and have not run out. The guarded upsert decides between processes.
func noteHashes(ctx context.Context, c rawsql.Conn, b inbox.Batch) (known []bool, err error) {
	known = make([]bool, len(b.Deliveries))
	for _, n := range inOrder(len(b.Replays), func(n int) string { return string(b.Replays[n].Hash[:]) }) {
		r := b.Replays[n]
		changed, err := c.Exec(ctx, `INSERT INTO inbox_hashes (hash, until) VALUES (?, ?)
			ON CONFLICT (hash) DO UPDATE SET until = excluded.until WHERE inbox_hashes.until <= ?`,
			r.Hash[:], rawsql.Micros(r.Until), rawsql.Micros(b.Deliveries[n].ReceivedAt))
		if err != nil {
			return nil, err
		}
		known[n] = changed == 0
	}
	return known, nil
}

// insertUnknown stores the deliveries that are not known by their hash, in the
// order of their ids: two processes with the same ids would else wait for each
// other for ever.
func (i *Inbox) insertUnknown(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, known []bool, owner int64) ([]bool, error) {
	fresh := make([]bool, len(deliveries))
	var chosen []inbox.Delivery
	var at []int
	for _, n := range inOrder(len(deliveries), func(n int) string { return deliveries[n].ID }) {
		if !known[n] {
			chosen, at = append(chosen, deliveries[n]), append(at, n)
		}
	}
	if len(chosen) == 0 {
		return fresh, nil
	}
	inserted, err := i.dialect.insert(ctx, c, chosen, owner)
	for n, ok := range inserted {
		fresh[at[n]] = ok
	}
	return fresh, err
}

const jobColumns = `id, seq, rule, order_key, state, due_at, lease_until, attempts, redelivery, status, error, changed_at`

// insertJobs stores jobs. A lease belongs to the owner.
func insertJobs(ctx context.Context, c rawsql.Conn, jobs []inbox.Job, owner int64) error {
	for _, j := range jobs {
		holder := owner
		if j.LeaseUntil.IsZero() {
			holder = 0
		}
		_, err := c.Exec(ctx, `INSERT INTO inbox_jobs (`+jobColumns+`, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.ID, j.Seq, j.Rule, j.OrderKey, int(j.State), rawsql.Micros(j.DueAt), rawsql.Micros(j.LeaseUntil), j.Attempts,
			rawsql.Flag(j.Redelivery), j.Status, j.Error, rawsql.Micros(j.ChangedAt), holder)
		if err != nil {
			return err
		}
	}
	return nil
}

// settle records outcomes in the order of the jobs, so that no two processes wait for
// each other. The update is fenced: a job that was claimed again has more attempts.
func settle(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error {
	for _, n := range inOrder(len(outcomes), func(n int) int64 { return outcomes[n].Job }) {
		o := outcomes[n]
		_, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = ?, due_at = ?, lease_until = 0, owner = 0, attempts = attempts - ?, status = ?, error = ?, changed_at = ?
			WHERE id = ? AND attempts = ? AND state = 0`,
			int(o.State), rawsql.Micros(o.DueAt), rawsql.Flag(o.Untried), o.Status, o.Error, rawsql.Micros(o.At), o.Job, o.Attempts)
		if err != nil {
			return err
		}
	}
	return nil
}

// inOrder lists the indexes up to n in the order of their keys.
func inOrder[K cmp.Ordered](n int, key func(int) K) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}
