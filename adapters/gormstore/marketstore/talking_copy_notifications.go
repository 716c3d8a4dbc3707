package marketstore

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

var noticeColumns = []string{"user_id", "n", "kind", "message", "book_id", "order_id", "created_at", "read_at", "conversation_id"}

// CopyNotifications numbers and adds notifications as NotificationStore.AddNotifications does.
func (c Copier) CopyNotifications(ctx context.Context, all []notification.Notification) error {
	if len(all) == 0 {
		return nil
	}
	all, err := c.welcome(ctx, all)
	if err != nil {
		return err
	}
	next, err := c.advanceCounters(ctx, all)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(n notification.Notification) bool { _, ok := next[int64(n.User)]; return !ok })
	err = gormstore.CopyRows(ctx, c.tx, "notices", noticeColumns, all, func(n notification.Notification) ([]any, error) {
		id := int64(n.User)
		next[id]++
		return []any{
			id, next[id], string(n.Kind), n.Message, int64(n.Book), int64(n.Order), rawsql.Micros(n.CreatedAt), rawsql.Micros(n.ReadAt), int64(n.Conversation),
		}, nil
	})
	if err != nil {
		return err
	}
	return c.deleteOldNotices(ctx, next)
}

// welcome creates missing counters, and puts the welcome of their users before the rest.
func (c Copier) welcome(ctx context.Context, all []notification.Notification) ([]notification.Notification, error) {
	first := map[int64]notification.Notification{}
	for _, n := range slices.Backward(all) {
		first[int64(n.User)] = n
	}
	added, err := c.ids(ctx, "INSERT INTO notice_counters (user_id, n) SELECT unnest($1::bigint[]), 0 ON CONFLICT DO NOTHING RETURNING user_id", sortedKeys(first))
	if err != nil {
		return nil, err
	}
	slices.Sort(added)
	with := make([]notification.Notification, 0, len(added)+len(all))
	for _, id := range added {
		with = append(with, notification.NewWelcome(user.ID(id), first[id].CreatedAt))
	}
	return append(with, all...), nil
}

// advanceCounters makes room for the notifications, and returns the last number of each user
// before them. It omits deleted users.
func (c Copier) advanceCounters(ctx context.Context, all []notification.Notification) (map[int64]int64, error) {
	count := map[int64]int64{}
	for _, n := range all {
		count[int64(n.User)]++
	}
	ids := sortedKeys(count)
	more := make([]int64, len(ids))
	for i, id := range ids {
		more[i] = count[id]
	}
	rows, err := c.tx.Query(ctx, `UPDATE notice_counters c SET n = c.n + more.n FROM unnest($1::bigint[], $2::bigint[]) AS more (user_id, n)
		WHERE c.user_id = more.user_id AND c.n <> $3 RETURNING c.user_id, c.n - more.n`, ids, more, deletedUser)
	if err != nil {
		return nil, gormstore.WrapUnavailable(err)
	}
	last := make(map[int64]int64, len(ids))
	var id, n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error { last[id] = n; return nil })
	return last, gormstore.WrapUnavailable(err)
}

// deleteOldNotices bounds the number of a user's notifications; last has the last number of each.
func (c Copier) deleteOldNotices(ctx context.Context, last map[int64]int64) error {
	var many []int64
	for id, n := range last {
		if n > talking.MaxNotifications {
			many = append(many, id)
		}
	}
	if len(many) == 0 {
		return nil
	}
	_, err := c.tx.Exec(ctx, `DELETE FROM notices t USING (SELECT user_id, n, row_number() OVER (PARTITION BY user_id, kind = ANY ($2) ORDER BY n DESC) AS place
		FROM notices WHERE user_id = ANY ($1)) AS ranked WHERE place > $3 AND t.user_id = ranked.user_id AND t.n = ranked.n`,
		many, rawsql.Convert(notification.PersonalKinds(), func(k *notification.Kind) string { return string(*k) }), talking.MaxNotifications)
	return gormstore.WrapUnavailable(err)
}

func (c Copier) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := c.tx.Query(ctx, query, args...)
	if err != nil {
		return nil, gormstore.WrapUnavailable(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	return all, gormstore.WrapUnavailable(err)
}

func sortedKeys[V any](m map[int64]V) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
