package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// On SQLite, rows are inserted one by one.

// insertAttempts stores the attempts that are not stored yet and whose job exists.
func (i *Inbox) insertAttempts(ctx context.Context, c rawsql.Conn, attempts []inbox.Attempt) error {
	if i.postgres != nil {
		return i.postgres.insertAttempts(ctx, c, attempts)
	}
	for _, a := range attempts {
		if _, err := c.Exec(ctx, `INSERT INTO inbox_attempts (position, job, number, at, target, status, error, duration, answer)
			SELECT d.position, j.id, ?, ?, ?, ?, ?, ?, ? FROM inbox_jobs j JOIN inbox_deliveries d ON d.seq = j.seq WHERE j.id = ? ON CONFLICT (position, job, number) DO NOTHING`,
			a.Number, rawsql.Micros(a.At), a.Target, a.Status, a.Error, a.Duration.Microseconds(), a.Answer, a.Job); err != nil {
			return err
		}
	}
	return nil
}

// insertJobs stores jobs. The instance owns their leases.
func (i *Inbox) insertJobs(ctx context.Context, c rawsql.Conn, jobs []inbox.Job, instance int64) error {
	if i.postgres != nil {
		return i.postgres.insertJobs(ctx, c, jobs, instance)
	}
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

// updateJobs records outcomes, which are in the order of their jobs.
func (i *Inbox) updateJobs(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error {
	if i.postgres != nil {
		return i.postgres.updateJobs(ctx, c, outcomes)
	}
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

// insertDeliveries stores the deliveries whose id is new, with payloads at these positions, and jobs.
// The instance owns the jobs' leases.
func (i *Inbox) insertDeliveries(
	ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, positions []int64, instance int64,
) (fresh []bool, err error) {
	if i.postgres != nil {
		return i.postgres.insertDeliveries(ctx, c, deliveries, positions, instance)
	}
	fresh = make([]bool, len(deliveries))
	for n, d := range deliveries {
		inserted, err := c.Exec(ctx, `INSERT INTO inbox_deliveries (seq, source, id, original, conflict, unmatched, event, action, header, received_at, position)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id, source) DO NOTHING`,
			d.Seq, d.Source, d.ID, d.Original, rawsql.Flag(d.Conflict), rawsql.Flag(len(d.Jobs) == 0), string(d.Event), d.Action,
			formatHeader(d.Header), rawsql.Micros(d.ReceivedAt), positions[n])
		if err != nil {
			return nil, err
		}
		if fresh[n] = inserted > 0; !fresh[n] {
			continue
		}
		if err := i.insertJobs(ctx, c, d.Jobs, instance); err != nil {
			return nil, err
		}
		if _, err := c.Exec(ctx, `INSERT INTO inbox_payloads (position, seq, payload) VALUES (?, ?, ?)`, positions[n], d.Seq, i.compressor.compress(d.Payload)); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// takePositions returns a position for each delivery, in ascending order. On SQLite they are unique because
// transactions run one after another. A position is at least the current time, so that positions also grow after
// everything has been pruned.
func (i *Inbox) takePositions(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery) ([]int64, error) {
	if i.postgres != nil {
		return i.postgres.takePositions(ctx, c, len(deliveries))
	}
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
