package inboxstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/application/inbox"
)

// Commit stores a batch in one transaction.
func (i *Inbox) Commit(ctx context.Context, b inbox.Batch) ([]bool, error) {
	var fresh []bool
	err := i.atomically(ctx, func(tx *sql.Tx) error {
		known, err := i.noteHashes(ctx, tx, b)
		if err != nil {
			return err
		}
		if fresh, err = i.insertUnknown(ctx, tx, b.Deliveries, known); err != nil {
			return err
		}
		return i.dialect.settle(ctx, tx, b.Outcomes)
	})
	return fresh, err
}

// noteHashes keeps the hashes of the batch and tells which of them were there
// and have not run out. The guarded upsert decides between processes.
func (i *Inbox) noteHashes(ctx context.Context, tx *sql.Tx, b inbox.Batch) (known []bool, err error) {
	known = make([]bool, len(b.Deliveries))
	upsert := i.dialect.rebind(`INSERT INTO inbox_hashes (hash, until) VALUES (?, ?)
		ON CONFLICT (hash) DO UPDATE SET until = excluded.until WHERE inbox_hashes.until <= ?`)
	for _, n := range inOrder(len(b.Replays), func(n int) string { return string(b.Replays[n].Hash[:]) }) {
		r := b.Replays[n]
		result, err := tx.ExecContext(ctx, upsert, r.Hash[:], stamp(r.Until), stamp(b.Deliveries[n].ReceivedAt))
		if err != nil {
			return nil, err
		}
		changed, err := result.RowsAffected()
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
func (i *Inbox) insertUnknown(ctx context.Context, tx *sql.Tx, deliveries []inbox.Delivery, known []bool) ([]bool, error) {
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
	inserted, err := i.dialect.insert(ctx, tx, chosen)
	for n, ok := range inserted {
		fresh[at[n]] = ok
	}
	return fresh, err
}
