package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// These are the statements of nearly every step, see the package comment: it loads the
// people in it, under a lock if they act, and notifies some.

// users is market.UserStore.
type users struct{ conn }

func (s users) FindUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, "")
}

func (s users) LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, s.ForShare())
}

var selectPeople = "SELECT " + personColumns("u") + " FROM users u WHERE u.id IN ("

func (s users) find(ctx context.Context, ids []user.ID, locking string) (map[user.ID]market.User, error) {
	found := make(map[user.ID]market.User, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := rawsql.In(ids)
	all, err := rawsql.CollectUpTo(ctx, s.Conn, len(ids), readPerson, selectPeople+marks+") ORDER BY u.id"+locking, args...)
	for _, p := range all {
		found[p.ID] = p
	}
	return found, err
}

// forgotten is the counter of a person to whom nothing is told any more.
const forgotten = -1

// count raises a person's counter by n and returns it; 0 if the person is forgotten.
func (s notifications) count(ctx context.Context, id user.ID, n int) (notification.ID, error) {
	last, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[notification.ID], `INSERT INTO notice_counters (user_id, n) VALUES (?, ?)
		ON CONFLICT (user_id) DO UPDATE SET n = notice_counters.n + excluded.n WHERE notice_counters.n <> ? RETURNING n`,
		int64(id), n, forgotten)
	return last, err
}

// add stores a notification that has its number.
func (s notifications) add(ctx context.Context, n notification.Notification) error {
	_, err := s.Exec(ctx, "INSERT INTO notices (user_id, n, kind, message, book_id, created_at, read_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		int64(n.User), int64(n.ID), string(n.Kind), n.Message, int64(n.Book), rawsql.Micros(n.CreatedAt), rawsql.Micros(n.ReadAt))
	return err
}
