package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// sqlite inserts row by row and compresses payloads. Only the one writer uses the
// compressor.
type sqlite struct{ compressor compressor }

func (s *sqlite) lockedJobs(condition string) string { return condition }
func (s *sqlite) singleProcess() bool                { return true }
func (s *sqlite) close() error                       { return nil }

func (s *sqlite) decompress(row []byte) ([]byte, error) { return decompress(row) }

// A single process needs no instance id, because no other process holds leases.
func (s *sqlite) instanceID(context.Context) (int64, error) { return 0, nil }
func (s *sqlite) reclaimLeases(context.Context) (jobs int, left bool, err error) {
	return 0, false, nil
}

func (s *sqlite) insertAttempts(ctx context.Context, c rawsql.Conn, attempts []inbox.Attempt) error {
	for _, a := range attempts {
		if _, err := c.Exec(ctx, `INSERT INTO inbox_attempts (position, job, number, at, target, status, error, duration, answer)
			SELECT d.position, j.id, ?, ?, ?, ?, ?, ?, ? FROM inbox_jobs j JOIN inbox_deliveries d ON d.seq = j.seq WHERE j.id = ? ON CONFLICT (position, job, number) DO NOTHING`,
			a.Number, rawsql.Micros(a.At), a.Target, a.Status, a.Error, a.Duration.Microseconds(), a.Answer, a.Job); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlite) insertJobs(ctx context.Context, c rawsql.Conn, jobs []inbox.Job, instance int64) error {
	for _, j := range jobs {
		_, err := c.Exec(ctx, `INSERT INTO inbox_jobs (`+jobColumns+`, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.ID, j.Seq, j.Rule, j.OrderKey, int(j.State), rawsql.Micros(j.DueAt), rawsql.Micros(j.LeaseUntil), j.Attempts,
			rawsql.Flag(j.Redelivery), j.Status, j.Error, rawsql.Micros(j.ChangedAt), leaseOwner(j, instance))
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlite) updateJobs(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error {
	for _, o := range outcomes {
		_, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = ?, due_at = ?, lease_until = 0, owner = 0, attempts = attempts - ?, status = ?, error = ?, changed_at = ?
			WHERE id = ? AND attempts = ? AND state = 0`,
			int(o.State), rawsql.Micros(o.DueAt), rawsql.Flag(o.Returned), o.Status, o.Error, rawsql.Micros(o.At), o.Job, o.Attempts)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlite) insertDeliveries(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, positions []int64, instance int64) ([]bool, error) {
	fresh := make([]bool, len(deliveries))
	for n, d := range deliveries {
		inserted, err := c.Exec(ctx, `INSERT INTO inbox_deliveries (seq, source, id, original, conflict, unmatched, event, action, header, received_at, position)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id, source) DO NOTHING`,
			d.Seq, d.Source, d.ID, d.Original, rawsql.Flag(d.Conflict), rawsql.Flag(len(d.Jobs) == 0), string(d.Event), d.Action, formatHeader(d.Header), rawsql.Micros(d.ReceivedAt), positions[n])
		if err != nil {
			return nil, err
		}
		if fresh[n] = inserted > 0; !fresh[n] {
			continue
		}
		if err := s.insertJobs(ctx, c, d.Jobs, instance); err != nil {
			return nil, err
		}
		if _, err := c.Exec(ctx, `INSERT INTO inbox_payloads (position, seq, payload) VALUES (?, ?, ?)`, positions[n], d.Seq, s.compressor.compress(d.Payload)); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// takePositions returns the next positions, which are unique because transactions run one
// after another. A position is at least the current time, so that positions also grow after
// everything has been pruned.
func (s *sqlite) takePositions(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery) ([]int64, error) {
	position, _, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT max(coalesce((SELECT max(position) FROM inbox_payloads), 0),
		coalesce((SELECT position FROM inbox_deliveries ORDER BY seq DESC LIMIT 1), 0))`)
	for _, d := range deliveries {
		position = max(position, rawsql.Micros(d.ReceivedAt)-1)
	}
	positions := make([]int64, len(deliveries))
	for n := range positions {
		positions[n] = position + int64(n) + 1
	}
	return positions, err
}

func (s *sqlite) feedEnd(ctx context.Context, c rawsql.Conn) (int64, error) {
	position, _, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT coalesce(max(position), 0) FROM inbox_payloads`)
	return position, err
}

func (s *sqlite) forUpdate() string { return "" }

func (s *sqlite) anyOf(column string, numbers []int64) (condition string, args []any) {
	return in(column, numbers)
}

// A single file has no partitions, see docs/adr/0025-partitions-of-the-inbox.md.
func (s *sqlite) prepare(context.Context, *Inbox, int) error                    { return nil }
func (s *sqlite) dropPartitions(context.Context, *Inbox, inbox.Retention) error { return nil }
func (s *sqlite) payloadTables(bool) []string                                   { return []string{"inbox_payloads"} }

func (s *sqlite) deletions(_ context.Context, _ rawsql.Conn, over endedBatch, _ bool) ([]deletion, error) {
	return []deletion{{"inbox_attempts", over.positions()}, {"inbox_payloads", over.positions()}}, nil
}
