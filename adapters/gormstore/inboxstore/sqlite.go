package inboxstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/octavo-books/octavo/application/inbox"
)

// sqlite inserts row by row with statements prepared on the one writer, and packs payloads.
type sqlite struct {
	delivery, payload, job, outcome *sql.Stmt
	packer                          packer // of whoever has the one writer
}

func prepareSQLite(ctx context.Context, write *sql.DB) (dialect, error) {
	s := &sqlite{}
	for statement, into := range map[string]**sql.Stmt{
		`INSERT INTO inbox_deliveries (seq, id, event, action, received_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`: &s.delivery,
		`INSERT INTO inbox_payloads (seq, payload) VALUES (?, ?)`:                                                               &s.payload,
		insertJob:     &s.job,
		updateOutcome: &s.outcome,
	} {
		prepared, err := write.PrepareContext(ctx, statement) //nolint:sqlclosecheck // kept until close
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		*into = prepared
	}
	return s, nil
}

func (s *sqlite) close() error {
	var errs []error
	for _, statement := range []*sql.Stmt{s.delivery, s.payload, s.job, s.outcome} {
		if statement != nil {
			errs = append(errs, statement.Close())
		}
	}
	return errors.Join(errs...)
}

func (s *sqlite) rebind(statement string) string { return statement }
func (s *sqlite) skipLocked() string             { return "" }
func (s *sqlite) locked(condition string) string { return condition }
func (s *sqlite) alone() bool                    { return true }

func (s *sqlite) unpack(row []byte) ([]byte, error) { return unpack(row) }

// There is no other process whose leases could be told from ours.
func (s *sqlite) owner(context.Context) (int64, error)  { return 0, nil }
func (s *sqlite) takeOver(context.Context) (int, error) { return 0, nil }

// unwatched is for statements that take microseconds: the driver starts a goroutine
// to watch over each whose context can end. The transaction still ends with its own.
func unwatched(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func (s *sqlite) insert(ctx context.Context, tx *sql.Tx, deliveries []inbox.Delivery) ([]bool, error) {
	fresh := make([]bool, len(deliveries))
	ctx = unwatched(ctx)
	//nolint:sqlclosecheck // they end with the transaction
	delivery, payload, job := tx.StmtContext(ctx, s.delivery), tx.StmtContext(ctx, s.payload), tx.StmtContext(ctx, s.job)
	for n, d := range deliveries {
		result, err := delivery.ExecContext(ctx, d.Seq, d.ID, string(d.Event), d.Action, stamp(d.ReceivedAt))
		if err != nil {
			return nil, err
		}
		if changed, err := result.RowsAffected(); err != nil || changed == 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		fresh[n] = true
		if _, err := payload.ExecContext(ctx, d.Seq, s.packer.pack(d.Payload)); err != nil {
			return nil, err
		}
		for _, j := range d.Jobs {
			if _, err := job.ExecContext(ctx, jobValues(j, 0)...); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

func (s *sqlite) settle(ctx context.Context, tx *sql.Tx, outcomes []inbox.Outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	ctx = unwatched(ctx)
	update := tx.StmtContext(ctx, s.outcome) //nolint:sqlclosecheck // it ends with the transaction
	for _, o := range outcomes {
		if _, err := update.ExecContext(ctx, int(o.State), stamp(o.DueAt), number(o.Untried), o.Status, o.Error, stamp(o.At), o.Job, o.Attempts); err != nil {
			return err
		}
	}
	return nil
}
