package authstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// secondFactorRow is an authenticator app with its recovery codes.
type secondFactorRow struct {
	UserID      int64 `gorm:"primaryKey;autoIncrement:false"`
	Secret      []byte
	StartedAt   int64
	ConfirmedAt sql.NullInt64
	LastStep    int64
	Recovery    []byte
}

// TableName implements gorm's schema.Tabler.
func (secondFactorRow) TableName() string { return "second_factors" }

func toSecondFactorRow(f factors.SecondFactor) secondFactorRow {
	r := secondFactorRow{
		UserID: int64(f.User), Secret: f.SealedSecret, StartedAt: rawsql.Micros(f.StartedAt), ConfirmedAt: instant(f.ConfirmedAt),
		LastStep: f.LastStep, Recovery: []byte{},
	}
	for _, d := range f.Recovery {
		r.Recovery = append(r.Recovery, d[:]...)
	}
	return r
}

func (r *secondFactorRow) secondFactor() (factors.SecondFactor, error) {
	f := factors.SecondFactor{
		User: user.ID(r.UserID), SealedSecret: r.Secret, StartedAt: rawsql.Time(r.StartedAt),
		ConfirmedAt: rawsql.Time(r.ConfirmedAt.Int64), LastStep: r.LastStep,
	}
	const size = len(totp.Digest{})
	if len(r.Recovery)%size != 0 {
		return f, fmt.Errorf("the recovery codes of user %d have %d bytes", r.UserID, len(r.Recovery))
	}
	for rest := r.Recovery; len(rest) > 0; rest = rest[size:] {
		f.Recovery = append(f.Recovery, totp.Digest(rest))
	}
	return f, nil
}

// rememberedDeviceRow is a browser on which a user need not repeat the second factor.
type rememberedDeviceRow struct {
	Digest    digest `gorm:"primaryKey"`
	UserID    int64
	Epoch     int64
	ExpiresAt int64
}

// TableName implements gorm's schema.Tabler.
func (rememberedDeviceRow) TableName() string { return "remembered_devices" }

// HasSecondFactor implements factors.Reader.
func (i *Identity) HasSecondFactor(ctx context.Context, of user.ID) (bool, error) {
	_, found, err := rawsql.One(ctx, i.hot, rawsql.Integer[int64], "SELECT 1 FROM second_factors WHERE user_id = ? AND confirmed_at IS NOT NULL", int64(of))
	return found, err
}

// CountRecoveryCodes implements factors.Reader.
func (i *Identity) CountRecoveryCodes(ctx context.Context, of user.ID) (left int, on bool, err error) {
	rows, err := table.Of[secondFactorRow](i.db.Read).Where("user_id = ? AND confirmed_at IS NOT NULL", int64(of)).Find(ctx)
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	f, err := rows[0].secondFactor()
	return len(f.Recovery), true, err
}

// IsRememberedDevice implements factors.Reader.
func (i *Identity) IsRememberedDevice(
	ctx context.Context, of user.ID, epoch int64, digests [][sha256.Size]byte, now time.Time,
) (bool, error) {
	if len(digests) == 0 {
		return false, nil
	}
	all := make([]digest, len(digests))
	for n, d := range digests {
		all[n] = d
	}
	n, err := table.Of[rememberedDeviceRow](i.db.Read).Where("digest IN ?", all).
		Where("user_id = ? AND epoch = ? AND expires_at > ?", int64(of), epoch, now.UnixMicro()).Count(ctx)
	return n > 0, err
}

// secondFactors implements factors.Store within a transaction.
type secondFactors struct{ tx *gorm.DB }

func (s secondFactors) LockSecondFactor(ctx context.Context, of user.ID) (factors.SecondFactor, error) {
	row, err := rawsql.Take(ctx, table.Of[secondFactorRow](s.tx, rawsql.ForUpdate).Where("user_id = ?", int64(of)), auth.ErrSecondFactorOff)
	if err != nil {
		return factors.SecondFactor{}, err
	}
	return row.secondFactor()
}

func (s secondFactors) PutSecondFactor(ctx context.Context, f factors.SecondFactor) error {
	row := toSecondFactorRow(f)
	return table.Of[secondFactorRow](s.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &row)
}

func (s secondFactors) DeleteSecondFactor(ctx context.Context, of user.ID) error {
	if _, err := table.Of[secondFactorRow](s.tx).Where("user_id = ?", int64(of)).Delete(ctx); err != nil {
		return err
	}
	_, err := table.Of[rememberedDeviceRow](s.tx).Where("user_id = ?", int64(of)).Delete(ctx)
	return err
}

func (s secondFactors) RememberDevice(ctx context.Context, d factors.RememberedDevice) error {
	row := rememberedDeviceRow{d.Digest, int64(d.User), d.Epoch, rawsql.Micros(d.ExpiresAt)}
	if err := table.Of[rememberedDeviceRow](s.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &row); err != nil {
		return err
	}
	first := table.Of[rememberedDeviceRow](s.tx).Select("digest").Where("user_id = ?", row.UserID).Order("expires_at DESC, digest").
		Offset(factors.MaxRememberedDevices)
	_, err := table.Of[rememberedDeviceRow](s.tx).Where("user_id = ? AND digest IN (?)", row.UserID, first).Delete(ctx)
	return err
}
