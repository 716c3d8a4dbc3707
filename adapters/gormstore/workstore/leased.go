package workstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/job"
	"gorm.io/gorm"
)

// LeaseJob implements work.Leaser.
func (s *Store) LeaseJob(ctx context.Context, kind job.Kind, now, until time.Time) (j job.Job, found bool, err error) {
	err = s.db.Atomically(ctx, func(tx *gorm.DB) error {
		var r row
		if r, found, err = lockDue(tx.Statement.Context, tx, kind, now); err != nil || !found {
			return err
		}
		j = r.job()
		_, err := table.Of[row](tx).Where("id = ?", j.ID).Update(tx.Statement.Context, "due_at", rawsql.Micros(until))
		return err
	})
	return j, found && err == nil, err
}

// FinishJob implements work.Leaser.
func (s *Store) FinishJob(ctx context.Context, id int64) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		_, err := table.Of[row](tx).Where("id = ?", id).Delete(tx.Statement.Context)
		return err
	})
}
