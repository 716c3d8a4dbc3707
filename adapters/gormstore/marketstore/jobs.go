package marketstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
	"gorm.io/gorm"
)

// jobsTopic is the topic of the loops that run jobs.
const jobsTopic = "jobs"

// WaitForJobs implements market.JobWaiter. If it cannot read when a job is due, it waits for the
// others.
func (s *Store) WaitForJobs(ctx context.Context, now time.Time) {
	next, _, _ := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int64], "SELECT coalesce(min(due_at), 0) FROM chores WHERE dead = 0 AND due_at > ?", rawsql.Micros(now))
	s.db.Wakeups().Wait(ctx, jobsTopic, rawsql.Time(next))
}

// jobs implements market.JobStore.
type jobs struct{ conn }

func (s jobs) AddJob(ctx context.Context, j market.Job) error {
	gormstore.NotifyAfterCommit(s.session, jobsTopic)
	row := jobRow{j.ID, j.Kind, j.Subject, j.Key, j.After, j.Attempts, j.DueAt, rawsql.Flag(j.Dead), j.Error}
	return table.Of[jobRow](s.session).Create(ctx, &row)
}

func (s jobs) TakeJob(ctx context.Context, now time.Time) (market.Job, bool, error) {
	oldest, err := table.Of[jobRow](s.session, rawsql.SkipLocked).Where("dead = 0 AND due_at <= ?", rawsql.Micros(now)).Order("id").Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return market.Job{}, false, nil
	}
	if err == nil {
		_, err = table.Of[jobRow](s.session).Where("id = ?", oldest.ID).Delete(ctx)
	}
	return oldest.job(), err == nil, err
}

func (s jobs) FailJob(ctx context.Context, j market.Job) error {
	_, err := table.Of[jobRow](s.session).Where("id = ? AND attempts < ?", j.ID, j.Attempts).Assign(ctx, map[string]any{
		"attempts": j.Attempts, "due_at": rawsql.Micros(j.DueAt), "dead": rawsql.Flag(j.Dead), "error": j.Error,
	})
	return err
}

// CountDeadJobs implements market.JobAdmin.
func (s *Store) CountDeadJobs(ctx context.Context) (int, error) {
	n, err := table.Of[jobRow](s.db.Read).Where("dead = 1").Count(ctx)
	return int(n), err
}

// CountJobs implements market.JobAdmin.
func (s *Store) CountJobs(ctx context.Context, now time.Time) (c market.JobCounts, err error) {
	var row struct {
		Waiting, Due, Dead int
		Oldest             int64
	}
	err = s.db.Read.WithContext(ctx).Raw(`SELECT coalesce(sum(CASE WHEN dead = 0 AND due_at > @now THEN 1 ELSE 0 END), 0) AS waiting,
	coalesce(sum(CASE WHEN dead = 0 AND due_at <= @now THEN 1 ELSE 0 END), 0) AS due, coalesce(sum(dead), 0) AS dead,
	coalesce(min(CASE WHEN dead = 0 AND attempts = 0 THEN id END), 0) AS oldest FROM chores`, sql.Named("now", rawsql.Micros(now))).Scan(&row).Error
	c = market.JobCounts{Waiting: row.Waiting, Due: row.Due, Dead: row.Dead}
	if row.Oldest != 0 {
		c.Oldest = id.Time(row.Oldest)
	}
	return c, gormstore.WrapUnavailable(err)
}

// ListJobs implements market.JobAdmin.
func (s *Store) ListJobs(ctx context.Context, n int) ([]market.Job, error) {
	rows, err := table.Of[jobRow](s.db.Read).Order("dead DESC, id").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*jobRow).job), err
}

// RetryJobs implements market.JobAdmin.
func (s *Store) RetryJobs(ctx context.Context, ids ...int64) (int, error) {
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		gormstore.NotifyAfterCommit(tx, jobsTopic)
		chosen := table.Of[jobRow](tx).Where("dead = 1")
		if len(ids) > 0 {
			chosen = table.Of[jobRow](tx).Where("id IN ?", rawsql.Padded(ids))
		}
		return chosen.Assign(ctx, map[string]any{"attempts": 0, "due_at": 0, "dead": 0, "error": ""})
	})
}

// DropJobs implements market.JobAdmin.
func (s *Store) DropJobs(ctx context.Context, ids ...int64) (int, error) {
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return table.Of[jobRow](tx).Where("id IN ?", rawsql.Padded(ids)).Delete(ctx)
	})
}
