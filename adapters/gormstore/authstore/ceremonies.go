package authstore

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// ceremonyRow is a ceremony.
type ceremonyRow struct {
	Digest    digest `gorm:"primaryKey"`
	Purpose   string
	UserID    int64
	Browser   string
	State     []byte
	Attempts  int64
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (r *ceremonyRow) ceremony() challenge.Ceremony {
	return challenge.Ceremony{
		Purpose: challenge.Purpose(r.Purpose), Digest: r.Digest, User: user.ID(r.UserID), Browser: r.Browser, State: r.State,
		Attempts: int(r.Attempts), CreatedAt: rawsql.Time(r.CreatedAt), ExpiresAt: rawsql.Time(r.ExpiresAt),
	}
}

// ceremonies implements auth.Store within a transaction.
type ceremonies struct{ tx *gorm.DB }

func (c ceremonies) PutCeremony(ctx context.Context, put challenge.Ceremony) error {
	return table.Of[ceremonyRow](c.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &ceremonyRow{
		Digest: put.Digest, Purpose: string(put.Purpose), UserID: int64(put.User), Browser: put.Browser,
		State:    append([]byte{}, put.State...),
		Attempts: int64(put.Attempts), CreatedAt: rawsql.Micros(put.CreatedAt), ExpiresAt: rawsql.Micros(put.ExpiresAt),
	})
}

func (c ceremonies) LockCeremony(
	ctx context.Context, p challenge.Purpose, of [sha256.Size]byte, now time.Time,
) (challenge.Ceremony, error) {
	found, err := rawsql.Take(ctx, table.Of[ceremonyRow](c.tx, rawsql.ForUpdate).
		Where("digest = ? AND purpose = ? AND expires_at > ?", digest(of), string(p), now.UnixMicro()), challenge.ErrCeremonyInvalid)
	return found.ceremony(), err
}

func (c ceremonies) DeleteCeremony(ctx context.Context, of [sha256.Size]byte) error {
	_, err := table.Of[ceremonyRow](c.tx).Where("digest = ?", digest(of)).Delete(ctx)
	return err
}
