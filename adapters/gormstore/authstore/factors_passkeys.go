package authstore

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// passkeyRow is a passkey.
type passkeyRow struct {
	ID           passkey.ID `gorm:"primaryKey;autoIncrement:false"`
	UserID       user.ID
	Name         string
	CredentialID []byte
	PublicKey    []byte
	Counter      int64
	Synced       int64
	Transports   string
	CreatedAt    time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	LastUsedAt   time.Time `gorm:"serializer:micros;<-:update"` // null before the first use
}

// TableName implements gorm's schema.Tabler.
func (passkeyRow) TableName() string { return "passkeys" }

func (r *passkeyRow) passkey() passkey.Passkey {
	p := passkey.Passkey{
		ID: r.ID, User: r.UserID, Name: r.Name, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt,
		Credential: passkey.Credential{
			CredentialID: r.CredentialID, PublicKey: r.PublicKey, Counter: uint32(r.Counter), Synced: r.Synced == 1,
		},
	}
	if r.Transports != "" {
		p.Transports = strings.Split(r.Transports, ",")
	}
	return p
}

// ListPasskeys implements factors.Reader.
func (i *Identity) ListPasskeys(ctx context.Context, of user.ID) ([]passkey.Passkey, error) {
	rows, err := table.Of[passkeyRow](i.db.Read).Where("user_id = ?", of).Order("id").Find(ctx)
	return rawsql.Convert(rows, (*passkeyRow).passkey), err
}

// passkeys implements factors.Store within a transaction.
type passkeys struct{ tx *gorm.DB }

func (p passkeys) LockPasskeys(ctx context.Context, of user.ID) ([]passkey.Passkey, error) {
	rows, err := table.Of[passkeyRow](p.tx, rawsql.ForUpdate).Where("user_id = ?", of).Order("id").Find(ctx)
	return rawsql.Convert(rows, (*passkeyRow).passkey), err
}

func (p passkeys) AddPasskey(ctx context.Context, added passkey.Passkey) error {
	err := table.Of[passkeyRow](p.tx).Create(ctx, &passkeyRow{
		ID: added.ID, UserID: added.User, Name: added.Name, CredentialID: added.CredentialID, PublicKey: added.PublicKey,
		Counter: int64(added.Counter),
		Synced:  int64(rawsql.Flag(added.Synced)), Transports: strings.Join(added.Transports, ","), CreatedAt: added.CreatedAt,
	})
	if gormstore.IsUnique(err) {
		return passkey.ErrInvalid
	}
	return err
}

func (p passkeys) SavePasskeyUse(ctx context.Context, used passkey.Passkey) error {
	_, err := table.Of[passkeyRow](p.tx).Where("id = ?", used.ID).
		Assign(ctx, map[string]any{"counter": int64(used.Counter), "last_used_at": rawsql.Micros(used.LastUsedAt)})
	return err
}

func (p passkeys) DeletePasskeys(ctx context.Context, of user.ID, ids ...passkey.ID) (int, error) {
	return table.Of[passkeyRow](p.tx).Where("user_id = ? AND id IN ?", of, ids).Delete(ctx)
}
