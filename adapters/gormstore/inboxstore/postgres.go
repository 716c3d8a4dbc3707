package inboxstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/application/inbox"
)

// postgres inserts many rows with one statement, to spare round trips.
type postgres struct{ *tenancy }

func (postgres) rebind(statement string) string { return numbered(statement) }
func (postgres) skipLocked() string             { return " FOR UPDATE SKIP LOCKED" }
func (postgres) alone() bool                    { return false }

func (postgres) locked(condition string) string {
	return `id IN (WITH found AS MATERIALIZED (SELECT id FROM inbox_jobs WHERE ` + condition + ` ORDER BY id FOR UPDATE) SELECT id FROM found)`
}

// Postgres packs large values by itself.
func (postgres) unpack(row []byte) ([]byte, error) { return row, nil }

func (p postgres) insert(ctx context.Context, tx *sql.Tx, deliveries []inbox.Delivery) ([]bool, error) {
	var c columns
	for _, d := range deliveries {
		c.seqs, c.ids = append(c.seqs, d.Seq), append(c.ids, d.ID)
		c.events, c.actions = append(c.events, string(d.Event)), append(c.actions, d.Action)
		c.times = append(c.times, stamp(d.ReceivedAt))
	}
	known, err := newSeqs(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	fresh := make([]bool, len(deliveries))
	var seqs []int64
	var payloads [][]byte
	var jobs []inbox.Job
	for n, d := range deliveries {
		if fresh[n] = known[d.Seq]; fresh[n] {
			seqs, payloads, jobs = append(seqs, d.Seq), append(payloads, d.Payload), append(jobs, d.Jobs...)
		}
	}
	if len(seqs) == 0 {
		return fresh, nil
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO inbox_payloads (seq, payload) SELECT * FROM unnest($1::bigint[], $2::bytea[])`, seqs, payloads); err != nil {
		return nil, err
	}
	owner, err := p.owner(ctx)
	if err != nil {
		return nil, err
	}
	return fresh, insertJobs(ctx, tx, p, jobs, owner)
}

// columns are the values of deliveries, each column an array.
type columns struct {
	seqs, times          []int64
	ids, events, actions []string
}

// newSeqs inserts the deliveries whose id is not known and tells their numbers.
func newSeqs(ctx context.Context, tx *sql.Tx, c columns) (map[int64]bool, error) {
	rows, err := tx.QueryContext(ctx, `INSERT INTO inbox_deliveries (seq, id, event, action, received_at)
		SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
		ON CONFLICT (id) DO NOTHING RETURNING seq`, c.seqs, c.ids, c.events, c.actions, c.times)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	inserted := map[int64]bool{}
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, err
		}
		inserted[seq] = true
	}
	return inserted, rows.Err()
}

// settle updates in the order of the ids, so that no two processes wait for each
// other.
func (p postgres) settle(ctx context.Context, tx *sql.Tx, outcomes []inbox.Outcome) error {
	for _, n := range inOrder(len(outcomes), func(n int) int64 { return outcomes[n].Job }) {
		o := outcomes[n]
		if _, err := tx.ExecContext(ctx, p.rebind(updateOutcome), int(o.State), stamp(o.DueAt), number(o.Untried), o.Status, o.Error, stamp(o.At), o.Job, o.Attempts); err != nil {
			return err
		}
	}
	return nil
}
