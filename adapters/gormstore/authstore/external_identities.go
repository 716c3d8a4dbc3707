package authstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// identityRow is an identity.
type identityRow struct {
	ID         identity.ID `gorm:"primaryKey;autoIncrement:false"`
	User       user.ID     `gorm:"column:user_id"`
	Provider   string
	Subject    string
	Email      string
	CreatedAt  time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	LastUsedAt time.Time `gorm:"serializer:micros"`
}

// TableName implements gorm's schema.Tabler.
func (identityRow) TableName() string { return "identities" }

func (r *identityRow) identity() identity.Identity { return identity.Identity(*r) }

// ListIdentities is external.ListIdentities.
func (i *Identity) ListIdentities(ctx context.Context, of user.ID) ([]identity.Identity, error) {
	return identities{i.db.Read}.ListIdentities(ctx, of)
}

// identities implements external.Store within a transaction.
type identities struct{ tx *gorm.DB }

func (i identities) ListIdentities(ctx context.Context, of user.ID) ([]identity.Identity, error) {
	rows, err := table.Of[identityRow](i.tx).Where("user_id = ?", of).Order("id").Find(ctx)
	return rawsql.Convert(rows, (*identityRow).identity), err
}

func (i identities) FindIdentity(ctx context.Context, provider, subject string) (identity.Identity, error) {
	found, err := rawsql.Take(ctx, table.Of[identityRow](i.tx).Where("provider = ? AND subject = ?", provider, subject),
		identity.ErrNotFound)
	return found.identity(), err
}

func (i identities) AddIdentity(ctx context.Context, added identity.Identity) error {
	row := identityRow(added)
	err := table.Of[identityRow](i.tx).Create(ctx, &row)
	if gormstore.IsUnique(err) {
		return identity.ErrTaken
	}
	return err
}

func (i identities) MarkIdentityUsed(ctx context.Context, id identity.ID, now time.Time) error {
	n, err := table.Of[identityRow](i.tx).Where("id = ?", id).Assign(ctx, map[string]any{"last_used_at": rawsql.Micros(now)})
	if err == nil && n == 0 {
		err = identity.ErrNotFound
	}
	return err
}

func (i identities) LastSignInAt(ctx context.Context, of user.ID, provider string) (last time.Time, err error) {
	rows, err := table.Of[identityRow](i.tx).Where("user_id = ? AND provider = ?", of, provider).Find(ctx)
	for _, r := range rows {
		last = latest(last, r.CreatedAt, r.LastUsedAt)
	}
	return last, err
}

func latest(all ...time.Time) time.Time { return slices.MaxFunc(all, time.Time.Compare) }

// ListUnseen implements account.Reader. A release that does not know last_used_at leaves it 0.
func (i *Identity) ListUnseen(
	ctx context.Context, provider string, since time.Time, after user.ID, limit int,
) ([]account.UnseenUser, error) {
	at := rawsql.Micros(since)
	people, err := table.Of[userRow](i.db.Read).Where(`id > ? AND deleted_at IS NULL AND suspended_at IS NULL AND role <> 2
		AND id IN (SELECT user_id FROM identities WHERE provider = ?)
		AND id NOT IN (SELECT user_id FROM identities WHERE provider = ? AND (last_used_at >= ? OR created_at >= ?))`, int64(after), provider, provider, at, at).
		Order("id").Limit(limit).Find(ctx)
	all := make([]account.UnseenUser, len(people))
	for n := range people {
		all[n].User = people[n].user()
		if err == nil {
			all[n].LastSeen, err = identities{i.db.Read}.LastSignInAt(ctx, all[n].User.ID, provider)
		}
	}
	return all, err
}

func (i identities) DeleteIdentity(ctx context.Context, of user.ID, id identity.ID) error {
	n, err := table.Of[identityRow](i.tx).Where("user_id = ? AND id = ?", of, id).Delete(ctx)
	if err == nil && n == 0 {
		err = identity.ErrNotFound
	}
	return err
}

func (i identities) DeleteIdentitiesSince(ctx context.Context, of user.ID, since time.Time) (int, error) {
	return table.Of[identityRow](i.tx).Where("user_id = ? AND created_at >= ?", of, rawsql.Micros(since)).Delete(ctx)
}
