package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// sqlite inserts row by row and packs payloads.
type sqlite struct{ packer packer } // of whoever has the one writer

func (s *sqlite) locked(condition string) string { return condition }
func (s *sqlite) alone() bool                    { return true }
func (s *sqlite) close() error                   { return nil }

func (s *sqlite) unpack(row []byte) ([]byte, error) { return unpack(row) }

// There is no other process whose leases could be told from ours.
func (s *sqlite) owner(context.Context) (int64, error)  { return 0, nil }
func (s *sqlite) takeOver(context.Context) (int, error) { return 0, nil }

func (s *sqlite) insert(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, owner int64) ([]bool, error) {
	fresh := make([]bool, len(deliveries))
	for n, d := range deliveries {
		inserted, err := c.Exec(ctx, `INSERT INTO inbox_deliveries (seq, id, event, action, received_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			d.Seq, d.ID, string(d.Event), d.Action, rawsql.Micros(d.ReceivedAt))
		if err != nil {
			return nil, err
		}
		if fresh[n] = inserted > 0; !fresh[n] {
			continue
		}
		if _, err := c.Exec(ctx, `INSERT INTO inbox_payloads (seq, payload) VALUES (?, ?)`, d.Seq, s.packer.pack(d.Payload)); err != nil {
			return nil, err
		}
		if err := insertJobs(ctx, c, d.Jobs, owner); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}
