package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// users is a part of market.Stores.
type users struct{ conn }

func (s users) FindUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, "")
}

func (s users) LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, s.Locking(rawsql.ForShare))
}

const selectStaff = `SELECT u.id, u.role, COALESCE(u.university, '') FROM users u
	WHERE u.role > 0 AND u.deleted_at IS NULL AND u.suspended_at IS NULL AND u.delete_at IS NULL ORDER BY u.id`

func (s users) LockStaff(ctx context.Context) ([]user.Staff, error) {
	return rawsql.Collect(ctx, s.Conn, readStaff, selectStaff+s.Locking(rawsql.ForShare))
}

// ListStaff implements guarding.Reader.
func (s *Store) ListStaff(ctx context.Context) ([]user.Staff, error) {
	return rawsql.Collect(ctx, s.read.Conn, readStaff, selectStaff)
}

func readStaff() ([]any, func() user.Staff) {
	var s user.Staff
	return []any{&s.ID, &s.Role, &s.University}, func() user.Staff { return s }
}

var selectUsers = "SELECT " + userColumns("u") + " FROM users u WHERE u.id IN ("

func (s users) find(ctx context.Context, ids []user.ID, locking string) (map[user.ID]market.User, error) {
	found := make(map[user.ID]market.User, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := rawsql.In(ids)
	all, err := rawsql.CollectUpTo(ctx, s.Conn, len(ids), readUser, selectUsers+marks+") ORDER BY u.id"+locking, args...)
	for _, u := range all {
		found[u.ID] = u
	}
	return found, err
}
