package authstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/limit"
	"gorm.io/gorm"
)

// Every request of an anonymous client counts limits, often several. Rows are scanned by
// hand: through GORM a request for a reset mail takes a quarter more processor time.
const (
	selectLimit = `SELECT full_at, violations FROM limits WHERE name = ?`
	saveLimit   = `INSERT INTO limits (name, full_at, violations) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET full_at = excluded.full_at, violations = excluded.violations`
	deleteLimit = `DELETE FROM limits WHERE name = ?`
)

func scanLimit() ([]any, func() limit.State) {
	var fullAt, violations int64
	return []any{&fullAt, &violations}, func() limit.State { return limit.State{FullAt: rawsql.Time(fullAt), Violations: int(violations)} }
}

// limitRow names the table for deleteExpired.
type limitRow struct{}

// RateLimiter implements auth.RateLimiter in the database.
type RateLimiter struct{ db *gormstore.DB }

// NewRateLimiter returns a RateLimiter over a migrated database.
func NewRateLimiter(db *gormstore.DB) *RateLimiter { return &RateLimiter{db} }

// AllowRequests implements auth.RateLimiter. It only reads when it refuses, so that a
// flood of refused requests does not block writers.
func (l *RateLimiter) AllowRequests(ctx context.Context, now time.Time, requests ...limit.Request) (wait time.Duration, err error) {
	for _, r := range requests {
		if wait, err := l.CheckLimit(ctx, now, r); err != nil || wait > 0 {
			return wait, err
		}
	}
	// Lock in the order of names, so that two requests cannot deadlock.
	requests = slices.SortedFunc(slices.Values(requests), func(a, b limit.Request) int { return cmp.Compare(a.Name, b.Name) })
	err = l.db.Atomically(ctx, func(tx *gorm.DB) (err error) {
		wait, err = countRequests(tx.Statement.Context, rawsql.On(tx), now, requests)
		return err
	})
	return wait, err
}

// CheckLimit implements auth.RateLimiter.
func (l *RateLimiter) CheckLimit(ctx context.Context, now time.Time, r limit.Request) (time.Duration, error) {
	s, _, err := rawsql.One(ctx, rawsql.On(l.db.Read), scanLimit, selectLimit, r.Name) // the zero State if there is none
	if err != nil {
		return 0, err
	}
	_, wait := r.Rule.Allow(s, now)
	return wait, nil
}

// countRequests counts the requests, or none of them if one has to wait. It takes advisory
// locks, because a row may not exist.
func countRequests(ctx context.Context, c rawsql.Conn, now time.Time, requests []limit.Request) (wait time.Duration, err error) {
	next := make([]limit.State, len(requests))
	for i, a := range requests {
		if err := c.AdvisoryLock(ctx, "limit "+a.Name); err != nil {
			return 0, err
		}
		s, _, err := rawsql.One(ctx, c, scanLimit, selectLimit, a.Name)
		if err != nil {
			return 0, err
		}
		var w time.Duration
		next[i], w = a.Rule.Allow(s, now)
		wait = max(wait, w)
	}
	if wait > 0 {
		return wait, nil
	}
	for i, a := range requests {
		if _, err := c.Exec(ctx, saveLimit, a.Name, rawsql.Micros(next[i].FullAt), next[i].Violations); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// ResetLimit implements auth.RateLimiter.
func (l *RateLimiter) ResetLimit(ctx context.Context, name string) error {
	return l.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx, c := tx.Statement.Context, rawsql.On(tx)
		if err := c.AdvisoryLock(ctx, "limit "+name); err != nil {
			return err
		}
		_, err := c.Exec(ctx, deleteLimit, name)
		return err
	})
}
