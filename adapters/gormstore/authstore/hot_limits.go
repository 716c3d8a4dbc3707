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

// Limits are counted in front of all that a stranger may ask for, several for one request.
// Their rows are scanned by hand: through GORM a request for a reset mail takes a quarter
// more processor time.
const (
	selectLimit = `SELECT tat, strikes FROM limits WHERE name = ?`
	saveLimit   = `INSERT INTO limits (name, tat, strikes) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET tat = excluded.tat, strikes = excluded.strikes`
	forgetLimit = `DELETE FROM limits WHERE name = ?`
)

func scanLimit() ([]any, func() limit.State) {
	var tat, strikes int64
	return []any{&tat, &strikes}, func() limit.State { return limit.State{FullAt: rawsql.Time(tat), Violations: int(strikes)} }
}

// limitRow names the table for Sweep.
type limitRow struct{}

// TableName is read by GORM.
func (limitRow) TableName() string { return "limits" }

// Limits counts in the database.
type Limits struct{ db *gormstore.DB }

// NewLimits makes Limits over a migrated database.
func NewLimits(db *gormstore.DB) *Limits { return &Limits{db} }

// AllowRequests counts all or nothing. A flood that is refused anyway is only read, and
// keeps nobody from writing.
func (l *Limits) AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (wait time.Duration, err error) {
	for _, a := range asks {
		s, _, err := rawsql.One(ctx, rawsql.On(l.db.Read), scanLimit, selectLimit, a.Name) // the zero State for none
		if err != nil {
			return 0, err
		}
		if _, wait := a.Rule.Allow(s, now); wait > 0 {
			return wait, nil
		}
	}
	// In the order of names, so that nobody waits for somebody who waits for them.
	asks = slices.SortedFunc(slices.Values(asks), func(a, b limit.Request) int { return cmp.Compare(a.Name, b.Name) })
	err = l.db.Atomically(ctx, func(tx *gorm.DB) (err error) {
		wait, err = count(tx.Statement.Context, rawsql.On(tx), now, asks)
		return err
	})
	return wait, err
}

func count(ctx context.Context, c rawsql.Conn, now time.Time, asks []limit.Request) (wait time.Duration, err error) {
	next := make([]limit.State, len(asks))
	for i, a := range asks {
		if err := lockLimit(ctx, c, a.Name); err != nil {
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
	for i, a := range asks {
		if _, err := c.Exec(ctx, saveLimit, a.Name, rawsql.Micros(next[i].FullAt), next[i].Violations); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// lockLimit locks a name, because there may be no row yet.
func lockLimit(ctx context.Context, c rawsql.Conn, name string) error {
	return c.Lock(ctx, "limit "+name)
}

// ResetLimit makes name one that was never done.
func (l *Limits) ResetLimit(ctx context.Context, name string) error {
	return l.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx, c := tx.Statement.Context, rawsql.On(tx)
		if err := lockLimit(ctx, c, name); err != nil {
			return err
		}
		_, err := c.Exec(ctx, forgetLimit, name)
		return err
	})
}
