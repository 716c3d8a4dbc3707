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

// DeleteExpired deletes expired sign-ups, challenges, invitations and known clients.
func (i *Identity) DeleteExpired(ctx context.Context, now time.Time, n int) (most int, err error) {
	for _, deleteRows := range []func() (int, error){
		func() (int, error) { return deleteExpired[signupRow](ctx, i.db, "id", "expires_at", now, n) },
		func() (int, error) { return deleteExpired[challengeRow](ctx, i.db, "digest", "expires_at", now, n) },
		func() (int, error) { return deleteExpired[invitationRow](ctx, i.db, "id", "expires_at", now, n) },
		func() (int, error) {
			return deleteExpired[sourceRow](ctx, i.db, "user_id, source", "expires_at", now, n)
		},
	} {
		deleted, err := deleteRows()
		if err != nil {
			return most, err
		}
		most = max(most, deleted)
	}
	return most, nil
}

// DeleteExpired deletes counts whose whole burst is available again.
func (l *RateLimiter) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	return deleteExpired[limitRow](ctx, l.db, "name", "tat", now, n)
}

// deleteExpired deletes at most n rows whose time in column has come, except rows that
// another transaction has locked.
func deleteExpired[T any](ctx context.Context, db *gormstore.DB, key, column string, now time.Time, n int) (int, error) {
	done, err := db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		over := gorm.G[T](tx, clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
			Select(key).Where(column+" <= ?", now.UnixMicro()).Limit(n)
		return gorm.G[T](tx).Where("("+key+") IN (?)", over).Delete(ctx)
	})
	if err != nil {
		return 0, fmt.Errorf("delete expired rows: %w", err)
	}
	return done, nil
}

// isOver is a condition on sessions that were revoked or have expired at now.
func isOver(now time.Time) clause.Expr {
	at := rawsql.Micros(now)
	return gorm.Expr("(ended_at <= ? OR until <= ? OR last_seen + idle <= ?)", at, at, at)
}

// DeleteExpired deletes sessions that were revoked or have expired. It searches the
// table without locking it, so that writers need not wait, and deletes by id.
func (s *Sessions) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	var ids []user.SessionID
	err := gorm.G[sessionRow](s.db.Read).Select("id").Where(isOver(now)).Limit(n).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, all := rawsql.In(ids)
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return gorm.G[sessionRow](tx).Where("id IN ?", all).Where(isOver(now)).Delete(ctx)
	})
}
