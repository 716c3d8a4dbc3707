package authstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// DeleteExpired deletes expired sign-ups, challenges, ceremonies, invitations,
// remembered devices, known clients, personal access tokens, sign-ins at applications, and tokens and
// assertions of machines.
func (i *Identity) DeleteExpired(ctx context.Context, now time.Time, n int) (most int, err error) {
	for _, table := range []struct {
		row any
		key string
	}{
		{&signupRow{}, "id"}, {&challengeRow{}, "digest"}, {&ceremonyRow{}, "digest"}, {&invitationRow{}, "id"},
		{&rememberedDeviceRow{}, "digest"}, {&knownClientRow{}, "user_id, key"}, {&personalTokenRow{}, "id"},
		{&clientSignInRow{}, "session_id"}, {&serviceSignInRow{}, "session_id"}, {&machineSessionRow{}, "id"},
		{&usedAssertionRow{}, "digest"},
	} {
		deleted, err := deleteExpired(ctx, i.db, table.row, table.key, "expires_at", now, n)
		if err != nil {
			return most, err
		}
		most = max(most, deleted)
	}
	deleted, err := deleteExpired(ctx, i.db, &emailChangeRow{}, "id", "forget_at", now, n)
	return max(most, deleted), err
}

// DeleteExpired deletes counts whose whole burst is available again.
func (l *RateLimiter) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	return deleteExpired(ctx, l.db, &limitRow{}, "name", "full_at", now, n)
}

// deleteExpired deletes at most n rows of a table whose time in column has come, except
// rows that another transaction has locked.
func deleteExpired(ctx context.Context, db *gormstore.DB, row any, key, column string, now time.Time, n int) (int, error) {
	return db.ChangeRows(ctx, func(_ context.Context, tx *gorm.DB) (int, error) {
		expired := tx.Model(row).Clauses(rawsql.SkipLocked).Select(key).Where(column+" <= ?", now.UnixMicro()).Limit(n)
		deleted := tx.Where("("+key+") IN (?)", expired).Delete(row)
		return int(deleted.RowsAffected), deleted.Error
	})
}

// isOver is a condition on sessions that were revoked or have expired at now.
func isOver(now time.Time) (condition string, a, b, c int64) {
	at := rawsql.Micros(now)
	return "(ended_at <= ? OR absolute_expiry <= ? OR last_used_at + idle_timeout <= ?)", at, at, at
}

// DeleteExpired deletes sessions that were revoked or have expired. It searches the
// table without locking it, so that writers need not wait, and deletes by id.
func (s *Sessions) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	var ids []user.SessionID
	err := table.Of[sessionRow](s.db.Read).Select("id").Where(isOver(now)).Limit(n).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return s.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		return table.Of[sessionRow](tx).Where("id IN ?", rawsql.Padded(ids)).Where(isOver(now)).Delete(ctx)
	})
}
