package workstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/job"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Schedule implements work.Queue. On SQLite one process serves.
func (s *Store) Schedule(ctx context.Context, now time.Time, all []job.Job) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx := tx.Statement.Context
		if s.db.Dialect == gormstore.SQLite {
			if _, err := table.Of[row](tx).Where("running = 1").Update(ctx, "running", 0); err != nil {
				return err
			}
		}
		if len(all) == 0 {
			return nil
		}
		rows, kinds := make([]row, len(all)), make([]job.Kind, len(all))
		for i, j := range all {
			rows[i], kinds[i] = toRow(j), j.Kind
		}
		_, err := table.Of[row](tx).
			Where("kind IN ? AND periodic = 1 AND running = 0 AND due_at > ?", rawsql.Padded(kinds), rawsql.Micros(now)).
			Update(ctx, "due_at", rawsql.Micros(now))
		if err != nil {
			return err
		}
		return table.Of[row](tx, clause.OnConflict{DoNothing: true}).CreateInBatches(ctx, &rows, rawsql.RowsPerStatement)
	})
}

// Claim implements work.Queue.
func (s *Store) Claim(ctx context.Context, kind job.Kind, now, until time.Time) (j job.Job, found bool, err error) {
	err = s.db.Atomically(ctx, func(tx *gorm.DB) error {
		var r row
		if r, found, err = lockDue(tx.Statement.Context, tx, kind, now); err != nil || !found {
			return err
		}
		j = r.job()
		j.Running, j.DueAt = true, until
		j.Attempts++
		_, err := table.Of[row](tx).Where("id = ?", j.ID).Assign(tx.Statement.Context, outcome(j))
		return err
	})
	return j, found && err == nil, err
}

// claimedAs selects work while it is claimed as j: the number of attempts tells claims apart.
func claimedAs(tx *gorm.DB, j job.Job) *table.Query[row] {
	return table.Of[row](tx).Where("id = ? AND running = 1 AND attempts = ?", j.ID, j.Attempts)
}

// Renew implements work.Queue.
func (s *Store) Renew(ctx context.Context, claimed job.Job, until time.Time) error {
	return s.settle(ctx, claimed, map[string]any{"due_at": rawsql.Micros(until)})
}

// Settle implements work.Queue.
func (s *Store) Settle(ctx context.Context, claimed, settled job.Job) error {
	return s.settle(ctx, claimed, outcome(settled))
}

func (s *Store) settle(ctx context.Context, claimed job.Job, values map[string]any) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		n, err := claimedAs(tx, claimed).Assign(tx.Statement.Context, values)
		if err == nil && n == 0 {
			err = job.ErrLost
		}
		return err
	})
}
