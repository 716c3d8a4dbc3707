package inboxstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/partition"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// On Postgres, payloads and attempts are in partitions, each a range of positions, so that
// a partition is dropped when hardly anything in it is needed any more. The rest is moved
// to the default partition, whose rows are deleted one by one.

// A partition has this share of the deliveries that are kept, and not fewer than
// limits.minPartition.
const partitionShare = 16

var partitionedTables = []string{"inbox_payloads", "inbox_attempts"}

// prepare creates partitions ahead of the last position. It asks the database only after this
// process has taken positions: the others prepare for theirs.
func (d *postgres) prepare(ctx context.Context, i *Inbox, most int) (err error) {
	if first := d.prepared.Load() == 0; !d.taken.Swap(false) && !first {
		return nil
	}
	defer func() {
		if err != nil {
			d.taken.Store(true)
		}
	}()
	size := max(i.minPartition, int64(most)/partitionShare)
	last, _, err := rawsql.One(ctx, i.read, rawsql.Integer[int64], `SELECT position FROM `+lastPosition+` s`)
	if err != nil || last+size < d.prepared.Load() {
		return err
	}
	prepared := int64(0)
	postponed, err := i.changePartitions(ctx, func(ctx context.Context, c rawsql.Conn) error {
		existing, err := partition.List(ctx, c, partitionedTables[0])
		if err != nil {
			return err
		}
		upper := last + 1
		if last > 0 {
			upper += size / 8 // what is stored meanwhile belongs to no partition
		}
		if n := len(existing); n > 0 && existing[n-1].Upper > last {
			upper = existing[n-1].Upper
		}
		for upper <= last+2*size {
			for _, table := range partitionedTables {
				if err := createPartition(ctx, c, table, upper, upper+size); err != nil {
					return err
				}
			}
			upper += size
		}
		prepared = upper
		return nil
	})
	if err == nil && !postponed {
		d.prepared.Store(prepared)
	} else {
		d.taken.Store(true)
	}
	return err
}

// changePartitions is partition.Transact.Change for the tables of the inbox.
func (i *Inbox) changePartitions(ctx context.Context, fn func(ctx context.Context, c rawsql.Conn) error) (postponed bool, err error) {
	return partition.Transact(i.atomically).Change(ctx, "inbox partitions", fn)
}

// retryNewPartitions is atomically, repeated while a partition is created for a position
// between the moment fn takes it and the insertion of its row: the row then no longer belongs
// in the default partition. Each attempt takes a new position, which may meet another new
// partition.
func (i *Inbox) retryNewPartitions(ctx context.Context, fn func(ctx context.Context, c rawsql.Conn) error) (err error) {
	for range 100 {
		if err = i.atomically(ctx, fn); !gormstore.IsCheckViolation(err) {
			return err
		}
	}
	return err
}

func createPartition(ctx context.Context, c rawsql.Conn, table string, lower, upper int64) error {
	r := partition.Range{Table: table, Name: fmt.Sprintf("%s_%d", table, lower), Lower: lower, Upper: upper}
	return partition.Create(ctx, c, r, "WITH (toast_tuple_target = 8160)")
}

// dropPartitions drops the partitions in which at most maxMoved deliveries are still needed. A
// delivery needs its attempts as long as it exists. It needs its payload until that expires
// and, after that, while it waits to be sent.
func (i *Inbox) dropPartitions(ctx context.Context, p inbox.Retention) error {
	end, err := i.FeedEnd(ctx)
	if err != nil {
		return err
	}
	for _, table := range partitionedTables {
		all, err := partition.List(ctx, i.read, table)
		if err != nil {
			return err
		}
		for _, part := range all {
			if part.Upper > end+1 { // deliveries will still be stored there
				break
			}
			if postponed, err := i.dropPartition(ctx, part, p); err != nil || postponed {
				return err
			}
		}
	}
	return nil
}

// The statements that select the deliveries of a partition that still need it, by seq.
const (
	existing = `SELECT d.seq FROM inbox_deliveries d WHERE d.position >= ? AND d.position < ? LIMIT ?`
	unsent   = `SELECT DISTINCT d.seq FROM inbox_jobs j JOIN inbox_deliveries d ON d.seq = j.seq WHERE j.state = 0 AND d.position >= ? AND d.position < ? LIMIT ?`
)

// few reports whether a statement selects at most maxMoved deliveries of a partition.
func (i *Inbox) few(ctx context.Context, statement string, part partition.Range) (bool, error) {
	seqs, err := rawsql.Collect(ctx, i.read, rawsql.Integer[int64], statement, part.Lower, part.Upper, i.maxMoved+1)
	return len(seqs) <= i.maxMoved, err
}

// expired reports whether all payloads of a partition have expired, except for a few that wait
// to be sent. Positions grow with time only roughly: the clocks of replicas differ, and so do
// the durations of transactions.
func (i *Inbox) expired(ctx context.Context, part partition.Range, p inbox.Retention) (bool, error) {
	old, err := oldestIsBefore(ctx, i.read, `SELECT received_at FROM inbox_deliveries WHERE position >= ? AND position < ? ORDER BY position DESC LIMIT 1`,
		rawsql.Micros(p.PayloadsBefore.Add(-2*clockSkew)), part.Lower, part.Upper)
	if err != nil || !old {
		return false, err
	}
	return i.few(ctx, unsent, part)
}

// dropPartition drops a partition, if that moves few deliveries. postponed is true if the
// table is in use.
func (i *Inbox) dropPartition(ctx context.Context, part partition.Range, p inbox.Retention) (postponed bool, err error) {
	needed := existing
	few, err := i.few(ctx, needed, part)
	if err == nil && !few && part.Table == "inbox_payloads" {
		needed = unsent
		few, err = i.expired(ctx, part, p)
	}
	if err != nil || !few {
		return false, err
	}
	return i.changePartitions(ctx, func(ctx context.Context, c rawsql.Conn) error {
		if err := partition.Detach(ctx, c, part); err != nil {
			return err
		}
		// From here on, nobody can add a job to these deliveries before the transaction ends.
		moved, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], needed, part.Lower, part.Upper, i.maxMoved+1)
		if err != nil {
			return err
		}
		if len(moved) > i.maxMoved {
			return partition.ErrKeep
		}
		if len(moved) > 0 {
			if _, err := c.Pool.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %s SELECT * FROM %s WHERE position IN (SELECT position FROM inbox_deliveries WHERE seq = ANY ($1::bigint[]))`, part.Table, part.Name), moved); err != nil {
				return gormstore.WrapUnavailable(err)
			}
		}
		return partition.Drop(ctx, c, part)
	})
}

// payloadTables returns the tables whose expired payloads a step deletes row by row.
func (i *Inbox) payloadTables(firstStep bool) []string {
	switch {
	case i.postgres == nil:
		return []string{"inbox_payloads"}
	case firstStep:
		return []string{"inbox_payloads_rest", "inbox_payloads"}
	}
	return []string{"inbox_payloads_rest"}
}

// deletions returns the payloads and attempts to delete with these deliveries. It leaves many rows in
// full partitions to dropPartitions.
func (i *Inbox) deletions(ctx context.Context, c rawsql.Conn, over endedBatch, many bool) ([]deletion, error) {
	if i.postgres == nil {
		return []deletion{{"inbox_attempts", over.positions()}, {"inbox_payloads", over.positions()}}, nil
	}
	byRow := over
	if many {
		end, err := feedEnd(ctx, c)
		if err != nil {
			return nil, err
		}
		full, err := partition.List(ctx, c, "inbox_attempts") // they are dropped later than those of payloads
		if err != nil {
			return nil, err
		}
		byRow = over.filter(func(e ended) bool {
			return !slices.ContainsFunc(full, func(p partition.Range) bool {
				return p.Upper <= end+1 && p.Lower <= e.position && e.position < p.Upper
			})
		})
	}
	all := over.positions()
	return []deletion{
		{"inbox_attempts_rest", all}, {"inbox_payloads_rest", all},
		{"inbox_attempts", byRow.positions()}, {"inbox_payloads", byRow.positions()},
	}, nil
}

// estimateExcess uses positions as a count. Because unsent deliveries, duplicates and failed
// transactions take positions as well, somewhat fewer finished deliveries than most are kept.
func (i *Inbox) estimateExcess(ctx context.Context, most int) (int64, error) {
	last, _, err := rawsql.One(ctx, i.read, rawsql.Integer[int64], `SELECT position FROM `+lastPosition+` s`)
	if err != nil {
		return 0, err
	}
	seq, _, err := rawsql.One(ctx, i.read, rawsql.Integer[int64], `SELECT seq FROM inbox_deliveries WHERE position <= ? ORDER BY position DESC LIMIT 1`, last-int64(most))
	return seq, err
}
