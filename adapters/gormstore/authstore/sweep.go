package authstore

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// DeleteExpired removes expired sign-ups, challenges, invitations and known sources.
func (i *Identity) DeleteExpired(ctx context.Context, now time.Time, n int) (most int, err error) {
	for _, sweep := range []func() (int, error){
		func() (int, error) { return sweep[signupRow](ctx, i.db, "id", "expires_at", now, n) },
		func() (int, error) { return sweep[challengeRow](ctx, i.db, "digest", "expires_at", now, n) },
		func() (int, error) { return sweep[invitationRow](ctx, i.db, "id", "expires_at", now, n) },
		func() (int, error) { return sweep[sourceRow](ctx, i.db, "user_id, source", "expires_at", now, n) },
	} {
		done, err := sweep()
		if err != nil {
			return most, err
		}
		most = max(most, done)
	}
	return most, nil
}

// DeleteExpired removes limits that have their whole burst back.
func (l *Limits) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	return sweep[limitRow](ctx, l.db, "name", "tat", now, n)
}

// sweep deletes at most n rows whose time is over, but none that another transaction
// has locked.
func sweep[T any](ctx context.Context, db *gormstore.DB, key, column string, now time.Time, n int) (int, error) {
	done, err := db.Change(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		over := gorm.G[T](tx, clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
			Select(key).Where(column+" <= ?", now.UnixMicro()).Limit(n)
		return gorm.G[T](tx).Where("("+key+") IN (?)", over).Delete(ctx)
	})
	if err != nil {
		return 0, fmt.Errorf("sweep: %w", err)
	}
	return done, nil
}

// isOver is a condition on sessions that have ended by now, in one of three ways.
func isOver(now time.Time) clause.Expr {
	at := rawsql.Micros(now)
	return gorm.Expr("(ended_at <= ? OR until <= ? OR last_seen + idle <= ?)", at, at, at)
}

// DeleteExpired removes sessions that are over. They are looked for among all while
// others write, and removed by name.
func (s *Sessions) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	var ids []user.SessionID
	err := gorm.G[sessionRow](s.db.Read).Select("id").Where(isOver(now)).Limit(n).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, all := rawsql.In(ids)
	return s.db.Change(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return gorm.G[sessionRow](tx).Where("id IN ?", all).Where(isOver(now)).Delete(ctx)
	})
}
