package marketstore

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// These are the hand-written statements of nearly every transaction: it loads users, with
// a lock if they act, and adds notifications. See the package comment.

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

// deletedUser is the counter of a deleted user, who gets no notification any more.
const deletedUser = -1

// advanceCounters raises the counters of users, and returns those of users who are not deleted.
// It locks them in the order of the users, so that two transactions do not deadlock.
func (s notifications) advanceCounters(ctx context.Context, more map[user.ID]int) (map[user.ID]notification.ID, error) {
	last := make(map[user.ID]notification.ID, len(more))
	for batch := range rawsql.Batches(slices.Sorted(maps.Keys(more))) {
		marks, args := rawsql.Values(batch, func(id user.ID) []any { return []any{int64(id), more[id]} })
		counters, err := rawsql.CollectUpTo(ctx, s.Conn, len(batch), scanCounter, "INSERT INTO notice_counters (user_id, n) VALUES "+marks+`
			ON CONFLICT (user_id) DO UPDATE SET n = notice_counters.n + excluded.n WHERE notice_counters.n <> ? RETURNING user_id, n`, append(args, deletedUser)...)
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			last[c.UserID] = c.N
		}
	}
	return last, nil
}

func scanCounter() ([]any, func() counterRow) {
	var c counterRow
	return []any{&c.UserID, &c.N}, func() counterRow { return c }
}

// insert stores numbered notifications.
func (s notifications) insert(ctx context.Context, all []notification.Notification) error {
	for batch := range rawsql.Batches(all) {
		marks, args := rawsql.Values(batch, func(n notification.Notification) []any {
			return []any{
				int64(n.User), int64(n.ID), string(n.Kind), n.Message, int64(n.Book), int64(n.Order),
				rawsql.Micros(n.CreatedAt), rawsql.Micros(n.ReadAt), int64(n.Conversation),
			}
		})
		_, err := s.Exec(ctx, "INSERT INTO notices (user_id, n, kind, message, book_id, order_id, created_at, read_at, conversation_id) VALUES "+marks, args...)
		if err != nil {
			return err
		}
	}
	return nil
}
