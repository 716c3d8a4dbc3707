package authstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// signupRow is a sign-up whose address is not confirmed.
type signupRow struct {
	ID           int64 `gorm:"primaryKey;autoIncrement:false"`
	Email        string
	PasswordHash string
	Mark         digest
	Contested    int64
	Mailed       int64
	Lang         string
	CreatedAt    int64 `gorm:"autoCreateTime:false"`
	ExpiresAt    int64
	Profile      *user.Profile `gorm:"embedded"` // all columns are null without one
	Request      string
}

func (r *signupRow) registration() user.Registration {
	return user.Registration{
		ID: r.ID, Email: user.Email(r.Email), PasswordHash: r.PasswordHash, PasswordFingerprint: r.Mark,
		Contested: r.Contested == 1, Mailed: r.Mailed == 1,
		Lang: user.Lang(r.Lang), CreatedAt: rawsql.Time(r.CreatedAt), ExpiresAt: rawsql.Time(r.ExpiresAt), Profile: r.Profile,
		Request: r.Request,
	}
}

// FindRegistration implements account.Reader.
func (i *Identity) FindRegistration(ctx context.Context, id int64, now time.Time) (user.Registration, error) {
	found, err := rawsql.Take(ctx, table.Of[signupRow](i.db.Read).Where("id = ? AND expires_at > ?", id, now.UnixMicro()),
		challenge.ErrLinkInvalid)
	return found.registration(), err
}

// registrations implements account.Store within a transaction.
type registrations struct{ tx *gorm.DB }

func (r registrations) LockRegistrations(ctx context.Context, email user.Email, now time.Time) ([]user.Registration, error) {
	rows, err := table.Of[signupRow](r.tx, rawsql.ForUpdate).Where("email = ? AND expires_at > ?", string(email), now.UnixMicro()).
		Order("id DESC").Find(ctx)
	return rawsql.Convert(rows, (*signupRow).registration), err
}

func (r registrations) AddRegistration(ctx context.Context, added user.Registration) error {
	all, err := r.LockRegistrations(ctx, added.Email, added.CreatedAt)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		added.SetPredecessor(all[0])
	}
	if evicted := added.Evict(all); len(evicted) > 0 {
		if _, err := table.Of[signupRow](r.tx).Where("id IN ?", evicted).Delete(ctx); err != nil {
			return err
		}
	}
	return table.Of[signupRow](r.tx).Create(ctx, &signupRow{
		ID: added.ID, Email: string(added.Email), PasswordHash: added.PasswordHash, Mark: added.PasswordFingerprint,
		Contested: int64(rawsql.Flag(added.Contested)), Mailed: int64(rawsql.Flag(added.Mailed)), Lang: string(added.Lang),
		CreatedAt: rawsql.Micros(added.CreatedAt), ExpiresAt: rawsql.Micros(added.ExpiresAt), Profile: added.Profile,
		Request: added.Request,
	})
}

func (r registrations) MarkRegistrationMailed(ctx context.Context, id int64, until time.Time) error {
	at := until.UnixMicro()
	_, err := table.Of[signupRow](r.tx).Where("id = ?", id).Assign(ctx, map[string]any{
		"mailed": 1, "expires_at": gorm.Expr("CASE WHEN expires_at < ? THEN ? ELSE expires_at END", at, at),
	})
	return err
}

func (r registrations) DeleteRegistrations(ctx context.Context, email user.Email) error {
	_, err := table.Of[signupRow](r.tx).Where("email = ?", string(email)).Delete(ctx)
	return err
}
