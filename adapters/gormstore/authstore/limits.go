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

// Take counts all or nothing. A flood that is refused anyway is only read, and
// keeps nobody from writing.
func (l *Limits) Take(ctx context.Context, now time.Time, asks ...limit.Ask) (time.Duration, error) {
	for _, a := range asks {
		s, err := scanLimit(l.find.QueryRowContext(ctx, a.Name))
		if err != nil {
			return 0, err
		}
		if _, wait := a.Rule.Take(s, now); wait > 0 {
			return wait, nil
		}
	}
	// In the order of names, so that nobody waits for somebody who waits for them.
	asks = slices.SortedFunc(slices.Values(asks), func(a, b limit.Ask) int { return cmp.Compare(a.Name, b.Name) })
	var wait time.Duration
	err := l.db.Atomically(ctx, func(tx *gorm.DB) (err error) {
		wait, err = take(&transaction{tx: tx, dialect: l.db.Dialect}, now, asks)
		return err
	})
	return wait, err
}

func take(t *transaction, now time.Time, asks []limit.Ask) (wait time.Duration, err error) {
	next := make([]limit.State, len(asks))
	for i, a := range asks {
		if err := t.alone("limit " + a.Name); err != nil {
			return 0, err
		}
		var s limit.State
		err := t.query(func(row scanner) (err error) {
			s, err = scanLimit(row)
			return err
		}, `SELECT tat, strikes FROM limits WHERE name = ?`, a.Name)
		if err != nil {
			return 0, err
		}
		var w time.Duration
		next[i], w = a.Rule.Take(s, now)
		wait = max(wait, w)
	}
	if wait > 0 {
		return wait, nil
	}
	for i, a := range asks {
		_, err := t.exec(`INSERT INTO limits (name, tat, strikes) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET tat = excluded.tat, strikes = excluded.strikes`,
			a.Name, next[i].Full.UnixMicro(), next[i].Strikes)
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
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

// Forget makes name one that was never done.
func (l *Limits) Forget(ctx context.Context, name string) error {
	return l.db.Atomically(ctx, func(tx *gorm.DB) error {
		t := &transaction{tx: tx, dialect: l.db.Dialect}
		if err := t.alone("limit " + name); err != nil {
			return err
		}
		_, err := t.exec(`DELETE FROM limits WHERE name = ?`, name)
		return err
	})
}
