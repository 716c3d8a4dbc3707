package authstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
)

// ReadAccountRecords implements account.Reader.
func (i *Identity) ReadAccountRecords(ctx context.Context, of user.User, n int) (r account.Records, err error) {
	sources, err := listOf[knownClientRow](ctx, i, n, "expires_at, key", "user_id = ?", int64(of.ID))
	if err != nil {
		return r, err
	}
	for _, s := range sources {
		r.KnownClients = append(r.KnownClients, auth.KnownClient{User: of.ID, Key: s.Key, Until: rawsql.Time(s.ExpiresAt)})
	}
	remembered, err := listOf[rememberedDeviceRow](ctx, i, n, "expires_at", "user_id = ?", int64(of.ID))
	if err != nil {
		return r, err
	}
	for _, d := range remembered {
		r.RememberedUntil = append(r.RememberedUntil, rawsql.Time(d.ExpiresAt))
	}
	signUps, err := listOf[signupRow](ctx, i, n, "id", "email = ?", string(of.Email))
	if err != nil {
		return r, err
	}
	r.Registrations = rawsql.Convert(signUps, (*signupRow).registration)
	invitations, err := listOf[invitationRow](ctx, i, n, "id", "user_id = ?", int64(of.ID))
	if err != nil {
		return r, err
	}
	r.Invitations = rawsql.Convert(invitations, (*invitationRow).invitation)
	changes, err := listOf[emailChangeRow](ctx, i, n, "id", "user_id = ?", int64(of.ID))
	r.EmailChanges = rawsql.Convert(changes, (*emailChangeRow).change)
	return r, err
}

// listOf returns at most n rows.
func listOf[T any](ctx context.Context, i *Identity, n int, order, condition string, arg any) ([]T, error) {
	return table.Of[T](i.db.Read).Where(condition, arg).Order(order).Limit(n).Find(ctx)
}

// ListDevices implements auth.SessionStore.
func (s *Sessions) ListDevices(ctx context.Context, of user.ID) ([]auth.RecordedDevice, error) {
	rows, err := table.Of[deviceRow](s.db.Read).Where("user_id = ?", int64(of)).Order("first_seen_at, device").Find(ctx)
	return rawsql.Convert(rows, func(d *deviceRow) auth.RecordedDevice {
		return auth.RecordedDevice{Name: d.Device, FirstSeenAt: rawsql.Time(d.FirstSeenAt)}
	}), err
}
