package authstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/limit"
	"gorm.io/gorm"
)

// Limits counts in the database.
type Limits struct {
	db   *gormstore.DB
	find *sql.Stmt
}

// NewLimits prepares Limits over a migrated database.
func NewLimits(ctx context.Context, db *gormstore.DB) (*Limits, error) {
	l := &Limits{db: db}
	return l, prepare(ctx, db, &l.find, `SELECT tat, strikes FROM limits WHERE name = ?`)
}

// Close frees the prepared statement.
func (l *Limits) Close() error { return l.find.Close() }

const takeTries = 50

// errLost says that somebody else counted at the same time.
var errLost = errors.New("lost a race for a limit")

// Take counts all or nothing. A flood that is refused anyway is only read, and
// keeps nobody from writing.
func (l *Limits) Take(ctx context.Context, now time.Time, asks ...limit.Ask) (time.Duration, error) {
	asks = slices.SortedFunc(slices.Values(asks), func(a, b limit.Ask) int { return cmp.Compare(a.Name, b.Name) })
	for _, a := range asks {
		s, err := scanLimit(l.find.QueryRowContext(ctx, a.Name))
		if err != nil {
			return 0, err
		}
		if _, wait := a.Rule.Take(s, now); wait > 0 {
			return wait, nil
		}
	}
	for range takeTries {
		var wait time.Duration
		err := l.db.Atomically(ctx, func(tx *gorm.DB) (err error) {
			wait, err = take(&transaction{tx: tx, dialect: l.db.Dialect}, now, asks)
			return err
		})
		if !errors.Is(err, errLost) {
			return wait, err
		}
	}
	return 0, gormstore.ErrUnavailable
}

func take(t *transaction, now time.Time, asks []limit.Ask) (wait time.Duration, err error) {
	before, after := make([]limit.State, len(asks)), make([]limit.State, len(asks))
	for i, a := range asks {
		err := t.query(func(row scanner) (err error) {
			before[i], err = scanLimit(row)
			return err
		}, `SELECT tat, strikes FROM limits WHERE name = ?`+t.locking(), a.Name)
		if err != nil {
			return 0, err
		}
		var w time.Duration
		after[i], w = a.Rule.Take(before[i], now)
		wait = max(wait, w)
	}
	if wait > 0 {
		return wait, nil
	}
	for i, a := range asks {
		if err := count(t, a.Name, before[i], after[i]); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// count is guarded by what was read: a new name may have been made meanwhile.
func count(t *transaction, name string, before, after limit.State) error {
	n, err := t.exec(`INSERT INTO limits (name, tat, strikes) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET tat = excluded.tat, strikes = excluded.strikes
		WHERE limits.tat = ? AND limits.strikes = ?`,
		name, after.Full.UnixMicro(), after.Strikes, micros(before.Full), before.Strikes)
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// scanLimit is the zero State where there is no row.
func scanLimit(row scanner) (limit.State, error) {
	var tat int64
	var s limit.State
	err := row.Scan(&tat, &s.Strikes)
	if errors.Is(err, sql.ErrNoRows) {
		return limit.State{}, nil
	}
	if err != nil {
		return s, gormstore.Explain(fmt.Errorf("read a limit: %w", err))
	}
	s.Full = instant(tat)
	return s, nil
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Forget makes name one that was never done.
func (l *Limits) Forget(ctx context.Context, name string) error {
	return gormstore.Explain(l.db.Write.WithContext(ctx).Exec(`DELETE FROM limits WHERE name = ?`, name).Error)
}
