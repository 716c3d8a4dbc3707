package pushingstore

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type row struct {
	ID        push.ID        `gorm:"primaryKey;autoIncrement:false"`
	User      user.ID        `gorm:"column:user_id"`
	Session   user.SessionID `gorm:"column:session_id"`
	Token     int
	Endpoint  string
	P256dh    string `gorm:"column:p256dh"`
	Auth      string
	ServerKey string
	Kinds     string
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	RenewedAt time.Time `gorm:"serializer:micros"`
	Failures  int
	RetryAt   time.Time `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface, here and below.
func (row) TableName() string { return "push_subscriptions" }

type quietRow struct {
	User       user.ID `gorm:"column:user_id;primaryKey;autoIncrement:false"`
	FromMinute int
	ToMinute   int
}

func (quietRow) TableName() string { return "push_quiet_hours" }

func (r *row) subscription() push.Subscription {
	return push.Subscription{
		ID: r.ID, User: r.User, Session: r.Session, Token: r.Token != 0, Endpoint: r.Endpoint, Keys: push.Keys{P256dh: r.P256dh, Auth: r.Auth},
		ServerKey: r.ServerKey, Kinds: kindsOf(r.Kinds), CreatedAt: r.CreatedAt, RenewedAt: r.RenewedAt, Failures: r.Failures, RetryAt: r.RetryAt,
	}
}

func kindsOf(stored string) (kinds push.Kinds) {
	for name := range strings.FieldsSeq(stored) {
		kinds = append(kinds, notification.Kind(name))
	}
	return kinds
}

func storedKinds(kinds push.Kinds) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, " ")
}

// SaveSubscription implements pushing.Store. One that becomes another user's gets the new ID, so that no job for the old
// one finds it.
func (s Store) SaveSubscription(ctx context.Context, n push.Subscription, max int) (push.ID, error) {
	if err := s.AdvisoryLock(ctx, "push subscriptions of "+n.User.String()); err != nil {
		return 0, err
	}
	id, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[push.ID], `INSERT INTO push_subscriptions
	(id, user_id, session_id, token, endpoint, p256dh, auth, server_key, kinds, created_at, renewed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (endpoint) DO UPDATE SET
	id = CASE WHEN push_subscriptions.user_id = excluded.user_id THEN push_subscriptions.id ELSE excluded.id END,
	created_at = CASE WHEN push_subscriptions.user_id = excluded.user_id THEN push_subscriptions.created_at ELSE excluded.created_at END,
	user_id = excluded.user_id, session_id = excluded.session_id, token = excluded.token, p256dh = excluded.p256dh, auth = excluded.auth,
	server_key = excluded.server_key, kinds = excluded.kinds, renewed_at = excluded.renewed_at, failures = 0, retry_at = 0
RETURNING id`, int64(n.ID), int64(n.User), int64(n.Session), rawsql.Flag(n.Token), n.Endpoint, n.P256dh, n.Auth, n.ServerKey,
		storedKinds(n.Kinds), rawsql.Micros(n.CreatedAt), rawsql.Micros(n.RenewedAt))
	if err != nil {
		return 0, err
	}
	_, err = s.Exec(ctx, `DELETE FROM push_subscriptions WHERE user_id = ? AND id <> ? AND id NOT IN (
	SELECT id FROM push_subscriptions WHERE user_id = ? AND id <> ? ORDER BY renewed_at DESC, id DESC LIMIT ?)`,
		int64(n.User), int64(id), int64(n.User), int64(id), max-1)
	return id, err
}

// RemoveEndpoint implements pushing.Store.
func (s Store) RemoveEndpoint(ctx context.Context, of user.ID, endpoint string) error {
	_, err := table.Of[row](s.Session).Where("user_id = ? AND endpoint = ?", of, endpoint).Delete(ctx)
	return err
}

// RemoveSubscriptions implements pushing.Store.
func (s Store) RemoveSubscriptions(ctx context.Context, all ...push.Subscription) error {
	for _, n := range all {
		if _, err := s.asRead(n).Delete(ctx); err != nil {
			return err
		}
	}
	return nil
}

// asRead is the row of a subscription, unless a browser has subscribed again since it was read.
func (s Store) asRead(n push.Subscription) *table.Query[row] {
	return table.Of[row](s.Session).Where("id = ? AND renewed_at = ?", n.ID, rawsql.Micros(n.RenewedAt))
}

// RemoveSubscriptionsOf implements pushing.Store.
func (s Store) RemoveSubscriptionsOf(ctx context.Context, of user.ID) error {
	_, err := table.Of[row](s.Session).Where("user_id = ?", of).Delete(ctx)
	return err
}

// ForgetSubscriber implements pushing.Store.
func (s Store) ForgetSubscriber(ctx context.Context, of user.ID) error {
	if err := s.RemoveSubscriptionsOf(ctx, of); err != nil {
		return err
	}
	_, err := table.Of[quietRow](s.Session).Where("user_id = ?", of).Delete(ctx)
	return err
}

// ListSubscribers implements pushing.Store.
func (s Store) ListSubscribers(ctx context.Context, of []user.ID) (all []pushing.Subscriber, err error) {
	for batch := range rawsql.Batches(of) {
		marks, args := rawsql.In(batch)
		found, err := rawsql.Collect(ctx, s.Conn, func() ([]any, func() pushing.Subscriber) {
			var one pushing.Subscriber
			var kinds string
			return []any{&one.ID, &one.User, &kinds}, func() pushing.Subscriber { one.Kinds = kindsOf(kinds); return one }
		}, "SELECT id, user_id, kinds FROM push_subscriptions WHERE user_id IN ("+marks+") ORDER BY id", args...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// SaveAttempt implements pushing.Store.
func (s Store) SaveAttempt(ctx context.Context, n push.Subscription) error {
	_, err := s.asRead(n).Assign(ctx, map[string]any{"failures": n.Failures, "retry_at": rawsql.Micros(n.RetryAt)})
	return err
}

// SaveQuiet implements pushing.Store.
func (s Store) SaveQuiet(ctx context.Context, of user.ID, q push.Quiet) error {
	return table.Of[quietRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &quietRow{of, q.From, q.To})
}

// FindRecipient implements pushing.Reader.
func (s Reader) FindRecipient(ctx context.Context, id push.ID) (pushing.Recipient, bool, error) {
	return rawsql.One(ctx, s.Read.Conn, scanRecipient, "SELECT "+columns+`, u.lang, coalesce(q.from_minute, 0), coalesce(q.to_minute, 0)
FROM push_subscriptions AS s`+s.Read.JoinRow("JOIN", "users", "u", "s.user_id")+`
LEFT JOIN push_quiet_hours AS q ON q.user_id = s.user_id WHERE s.id = ?`, int64(id))
}

const columns = "s.id, s.user_id, s.session_id, s.token, s.endpoint, s.p256dh, s.auth, s.server_key, s.kinds, s.created_at, s.renewed_at, s.failures, s.retry_at"

func scanRecipient() ([]any, func() pushing.Recipient) {
	var r row
	var v pushing.Recipient
	return []any{
			&r.ID, &r.User, &r.Session, &r.Token, &r.Endpoint, &r.P256dh, &r.Auth, &r.ServerKey, &r.Kinds, rawsql.ScanTime(&r.CreatedAt),
			rawsql.ScanTime(&r.RenewedAt), &r.Failures, rawsql.ScanTime(&r.RetryAt), &v.Lang, &v.Quiet.From, &v.Quiet.To,
		}, func() pushing.Recipient {
			v.Subscription = r.subscription()
			return v
		}
}

// ListSubscriptions implements pushing.Reader.
func (s Reader) ListSubscriptions(ctx context.Context, of user.ID) ([]push.Subscription, error) {
	return rawsql.List(ctx, table.Of[row](s.DB.Read).Where("user_id = ?", of).Order("id"), (*row).subscription)
}

// ListAllSubscriptions implements pushing.Reader.
func (s Reader) ListAllSubscriptions(ctx context.Context, after push.ID, n int) ([]push.Subscription, error) {
	return rawsql.List(ctx, table.Of[row](s.DB.Read).Where("id > ?", after).Order("id").Limit(n), (*row).subscription)
}

// FindQuiet implements pushing.Reader.
func (s Reader) FindQuiet(ctx context.Context, of user.ID) (push.Quiet, error) {
	q, err := table.Of[quietRow](s.DB.Read).Where("user_id = ?", of).Limit(1).Find(ctx)
	if err != nil || len(q) == 0 {
		return push.Quiet{}, err
	}
	return push.Quiet{From: q[0].FromMinute, To: q[0].ToMinute}, nil
}
