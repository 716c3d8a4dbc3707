package workstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
	"gorm.io/gorm"
)

// CountJobs implements work.Admin.
func (s *Store) CountJobs(ctx context.Context, now time.Time) ([]work.Counts, error) {
	at := rawsql.Micros(now)
	return rawsql.Collect(ctx, rawsql.On(s.db.Read), func() ([]any, func() work.Counts) {
		var kind string
		var due, running, waiting, dead, oldest int64
		return []any{&kind, &due, &running, &waiting, &dead, &oldest}, func() work.Counts {
			return work.Counts{
				Kind: job.Kind(kind), Due: int(due), Running: int(running),
				Waiting: int(waiting), Dead: int(dead), Oldest: rawsql.Time(oldest),
			}
		}
	}, `SELECT kind, sum(CASE WHEN dead = 0 AND due_at <= ? THEN 1 ELSE 0 END),
	sum(CASE WHEN dead = 0 AND due_at > ? AND running = 1 THEN 1 ELSE 0 END),
	sum(CASE WHEN dead = 0 AND due_at > ? AND running = 0 THEN 1 ELSE 0 END), sum(dead),
	coalesce(min(CASE WHEN dead = 0 AND due_at <= ? THEN due_at END), 0)
FROM jobs GROUP BY kind ORDER BY kind`, at, at, at, at)
}

// CountStuckJobs implements work.Admin.
func (s *Store) CountStuckJobs(ctx context.Context) (int, error) {
	n, _, err := rawsql.One(ctx, rawsql.On(s.db.Read), rawsql.Integer[int], `SELECT (SELECT count(*) FROM jobs WHERE dead = 1) +
	(SELECT count(*) FROM jobs WHERE periodic = 1 AND error <> '' AND attempts - running >= ?)`, job.MaxAttempts)
	return n, err
}

// ListJobs implements work.Admin.
func (s *Store) ListJobs(ctx context.Context, n int) ([]job.Job, error) {
	rows, err := table.Of[row](s.db.Read).Order("dead DESC, error <> '' DESC, due_at, id").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*row).job), gormstore.WrapUnavailable(err)
}

// RetryJobs implements work.Admin.
func (s *Store) RetryJobs(ctx context.Context, now time.Time, ids ...int64) (int, error) {
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		gormstore.NotifyAfterCommit(tx, topic)
		chosen := table.Of[row](tx).Where("dead = 1")
		if len(ids) > 0 {
			chosen = table.Of[row](tx).Where("id IN ? AND running = 0", rawsql.Padded(ids))
		}
		return chosen.Assign(ctx, map[string]any{"attempts": 0, "due_at": rawsql.Micros(now), "dead": 0, "error": ""})
	})
}

// DropJobs implements work.Admin.
func (s *Store) DropJobs(ctx context.Context, now time.Time, ids ...int64) (int, error) {
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		abandoned := rawsql.Micros(now.Add(-job.AbandonedAfter))
		return table.Of[row](tx).Where("id IN ? AND (periodic = 0 OR due_at < ?)", rawsql.Padded(ids), abandoned).Delete(ctx)
	})
}

// DeleteDeadJobs implements work.Queue.
func (s *Store) DeleteDeadJobs(ctx context.Context, before time.Time, n int) (int, error) {
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		old := table.Of[row](tx).Select("id").Where("dead = 1 AND due_at < ?", rawsql.Micros(before)).Order("due_at").Limit(n)
		return table.Of[row](tx).Where("id IN (?)", old).Delete(ctx)
	})
}
