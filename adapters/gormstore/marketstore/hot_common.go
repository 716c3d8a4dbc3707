package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// These are the hand-written statements of nearly every transaction: it loads users, with
// a lock if they act, and adds notifications. See the package comment.

// users implements market.UserStore.
type users struct{ conn }

func (s users) FindUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, "")
}

func (s users) LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, s.Locking(rawsql.ForShare))
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

// advanceCounter raises a user's counter by n and returns it; 0 if the user is deleted.
func (s notifications) advanceCounter(ctx context.Context, id user.ID, n int) (notification.ID, error) {
	last, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[notification.ID], `INSERT INTO notice_counters (user_id, n) VALUES (?, ?)
		ON CONFLICT (user_id) DO UPDATE SET n = notice_counters.n + excluded.n WHERE notice_counters.n <> ? RETURNING n`,
		int64(id), n, deletedUser)
	return last, err
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
