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
func (s *sqlite) instanceID(context.Context) (int64, error)  { return 0, nil }
func (s *sqlite) reclaimLeases(context.Context) (int, error) { return 0, nil }

func (s *sqlite) insertAttempts(ctx context.Context, c rawsql.Conn, attempts []inbox.Attempt) error {
	for _, a := range attempts {
		if _, err := c.Exec(ctx, `INSERT INTO inbox_attempts (seq, job, number, at, target, status, error, duration, answer)
			SELECT seq, id, ?, ?, ?, ?, ?, ?, ? FROM inbox_jobs WHERE id = ? ON CONFLICT (seq, job, number) DO NOTHING`,
			a.Number, rawsql.Micros(a.At), a.Target, a.Status, a.Error, a.Duration.Microseconds(), a.Answer, a.Job); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlite) insertDeliveries(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, instance int64) ([]bool, error) {
	fresh := make([]bool, len(deliveries))
	for n, d := range deliveries {
		inserted, err := c.Exec(ctx, `INSERT INTO inbox_deliveries (seq, source, id, event, action, header, received_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id, source) DO NOTHING`,
			d.Seq, d.Source, d.ID, string(d.Event), d.Action, formatHeader(d.Header), rawsql.Micros(d.ReceivedAt))
		if err != nil {
			return nil, err
		}
		if fresh[n] = inserted > 0; !fresh[n] {
			continue
		}
		if err := insertJobs(ctx, c, d.Jobs, instance); err != nil {
			return nil, err
		}
	}
	return fresh, s.insertPayloads(ctx, c, bySeq(deliveries, fresh))
}

// insertPayloads stores payloads at the next positions. Of two transactions the second
// begins after the first has ended. So that positions also grow when all payloads have
// been pruned, they are not less than the time.
func (s *sqlite) insertPayloads(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	position, err := s.feedEnd(ctx, c)
	for _, d := range deliveries {
		if err != nil {
			return err
		}
		position = max(position+1, rawsql.Micros(d.ReceivedAt))
		_, err = c.Exec(ctx, `INSERT INTO inbox_payloads (seq, payload, position) VALUES (?, ?, ?)`, d.Seq, s.compressor.compress(d.Payload), position)
	}
	return err
}

func (s *sqlite) feedEnd(ctx context.Context, c rawsql.Conn) (int64, error) {
	position, _, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT coalesce(max(position), 0) FROM inbox_payloads`)
	return position, err
}
