package marketstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// told is market.ToldStore.
type told struct {
	conn
	tx     *gorm.DB
	sealer outboxstore.Sealer
}

const insertNotice = `INSERT INTO notices (user_id, n, kind, message, book_id, created_at, read_at) VALUES (?, ?, ?, ?, ?, ?, ?)`

func noticeValues(n notification.Notification) []any {
	return []any{int64(n.User), int64(n.ID), string(n.Kind), n.Message, int64(n.Book), rawsql.Micros(n.CreatedAt), rawsql.Micros(n.ReadAt)}
}

// Notify numbers the notifications of each person under the lock of their
// counter, so that numbers are committed in their order; people in ascending
// order, so that two steps do not lock each other out.
func (s told) Notify(ctx context.Context, all []notification.Notification) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b notification.Notification) int { return cmp.Compare(a.User, b.User) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].User == all[0].User {
			n++
		}
		if err := s.notify(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// notify stores what one person is told.
func (s told) notify(ctx context.Context, all []notification.Notification) error {
	id := all[0].User
	last, err := s.count(ctx, id, len(all))
	if err != nil || last == 0 {
		return err
	}
	if last == notification.ID(len(all)) { // nothing before: number 1 is the greeting
		all = append([]notification.Notification{notification.Greeting(id, all[0].CreatedAt)}, all...)
		if last, err = s.count(ctx, id, 1); err != nil {
			return err
		}
	}
	for i, notice := range all {
		notice.ID = last - notification.ID(len(all)-1-i)
		if _, err := s.Exec(ctx, insertNotice, noticeValues(notice)...); err != nil {
			return err
		}
	}
	return s.dropOld(ctx, id, last-notification.ID(len(all)), last)
}

// dropOld keeps what a person is told from growing without end. Not each step has
// to look: only those that pass a round number.
func (s told) dropOld(ctx context.Context, id user.ID, before, last notification.ID) error {
	const often = market.MaxNotices / 10
	if last <= market.MaxNotices || before/often == last/often {
		return nil
	}
	_, err := s.Exec(ctx, "DELETE FROM notices WHERE user_id = ? AND n <= ?", int64(id), int64(last-market.MaxNotices))
	return err
}

// forgotten is the counter of a person to whom nothing is told any more.
const forgotten = -1

// count raises a person's counter by n and returns it; 0 if the person is forgotten.
func (s told) count(ctx context.Context, id user.ID, n int) (notification.ID, error) {
	last, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[notification.ID], `INSERT INTO notice_counters (user_id, n) VALUES (?, ?)
		ON CONFLICT (user_id) DO UPDATE SET n = notice_counters.n + excluded.n WHERE notice_counters.n <> ? RETURNING n`,
		int64(id), n, forgotten)
	return last, err
}

func (s told) Greet(ctx context.Context, id user.ID, now time.Time) error {
	n, err := s.Exec(ctx, "INSERT INTO notice_counters (user_id, n) VALUES (?, 1) ON CONFLICT (user_id) DO NOTHING", int64(id))
	if err != nil || n == 0 {
		return err
	}
	greeting := notification.Greeting(id, now)
	greeting.ID = 1
	_, err = s.Exec(ctx, insertNotice, noticeValues(greeting)...)
	return err
}

// Forget takes the counter first: a step that is telling the person something commits
// before, or tells nothing.
func (s told) Forget(ctx context.Context, id user.ID) error {
	_, err := s.Exec(ctx, `INSERT INTO notice_counters (user_id, n) VALUES (?, ?)
		ON CONFLICT (user_id) DO UPDATE SET n = excluded.n`, int64(id), forgotten)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, "DELETE FROM notices WHERE user_id = ?", int64(id))
	return err
}

func (s told) Mail(ctx context.Context, all []message.Message) error {
	return outboxstore.Add(s.tx.WithContext(ctx), s.sealer, all...)
}

func (s told) Audit(ctx context.Context, all []audit.Entry) error {
	return authstore.AddAudit(s.tx.WithContext(ctx), all...)
}
