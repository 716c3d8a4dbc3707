package marketstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
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
	return []any{int64(n.User), int64(n.ID), string(n.Kind), n.Message, int64(n.Book), micros(n.CreatedAt), micros(n.ReadAt)}
}

// Notify numbers the notifications of each person under the lock of their
// counter, so that numbers are committed in their order; people in ascending
// order, so that two steps do not lock each other out.
func (s told) Notify(ctx context.Context, all []notification.Notification) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b notification.Notification) int { return cmp.Compare(a.User, b.User) })
	for len(all) > 0 {
		of := all[0].User
		n := 1
		for n < len(all) && all[n].User == of {
			n++
		}
		last, _, err := one(ctx, s.conn, scalar[int64], `INSERT INTO notice_counters (user_id, n) VALUES (?, ?)
			ON CONFLICT (user_id) DO UPDATE SET n = notice_counters.n + excluded.n RETURNING n`, int64(of), n)
		if err != nil {
			return err
		}
		for i, notice := range all[:n] {
			notice.ID = notification.ID(last - int64(n-1-i))
			if _, err := s.exec(ctx, insertNotice, noticeValues(notice)...); err != nil {
				return err
			}
		}
		all = all[n:]
	}
	return nil
}

func (s told) Mail(ctx context.Context, all []message.Message) error {
	return outboxstore.Add(s.tx.WithContext(ctx), s.sealer, all...)
}

func (s told) Audit(ctx context.Context, all []audit.Entry) error {
	return authstore.AddAudit(s.tx.WithContext(ctx), all...)
}
