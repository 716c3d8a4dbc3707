package authstore

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// deviceRow is a browser and system with which a user has signed in.
type deviceRow struct {
	UserID      int64  `gorm:"primaryKey;autoIncrement:false"`
	Device      string `gorm:"primaryKey"`
	FirstSeenAt int64
}

// maxDevices limits the stored browsers and systems of one user.
const maxDevices = 100

// rememberDevice stores a browser and system and returns what was known before.
func rememberDevice(ctx context.Context, tx *gorm.DB, s session.Session) (auth.KnownDevices, error) {
	added := gorm.WithResult()
	row := deviceRow{int64(s.User), s.Device.Browser + " / " + s.Device.OS, rawsql.Micros(s.CreatedAt)}
	err := table.Of[deviceRow](tx, added, clause.OnConflict{DoNothing: true}).Create(ctx, &row)
	if err != nil || added.RowsAffected == 0 {
		return auth.KnownDevices{This: true, Any: true}, err
	}
	devices, err := table.Of[deviceRow](tx).Where("user_id = ?", row.UserID).Limit(2).Find(ctx)
	if err != nil {
		return auth.KnownDevices{}, err
	}
	oldest := table.Of[deviceRow](tx).Select("device").Where("user_id = ?", row.UserID).Order("first_seen_at DESC, device").
		Offset(maxDevices)
	_, err = table.Of[deviceRow](tx).Where("user_id = ? AND device IN (?)", row.UserID, oldest).Delete(ctx)
	return auth.KnownDevices{Any: len(devices) > 1}, err
}

// knownClientRow is a client from which a user has signed in.
type knownClientRow struct {
	UserID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Key       string `gorm:"primaryKey"`
	ExpiresAt int64
}

// IsKnownClient implements auth.Storage. It counts rows, which is the same work
// where there is no account.
func (i *Identity) IsKnownClient(ctx context.Context, email user.Email, key string, now time.Time) (bool, error) {
	n, err := table.Of[knownClientRow](i.db.Read).Where("user_id = (SELECT id FROM users WHERE email = ?)", string(email)).
		Where("key = ? AND expires_at > ?", key, now.UnixMicro()).Count(ctx)
	return n > 0, err
}

// addKnownClient stores a known client and deletes the oldest beyond
// auth.MaxKnownClients. It locks the user's row against concurrent sign-ins and
// deletion. For a deleted user it stores nothing.
func addKnownClient(ctx context.Context, tx *gorm.DB, k auth.KnownClient) error {
	_, err := users{tx: tx}.LockUser(ctx, k.User)
	if errors.Is(err, user.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	row := knownClientRow{int64(k.User), k.Key, rawsql.Micros(k.Until)}
	if err := table.Of[knownClientRow](tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &row); err != nil {
		return err
	}
	oldest := table.Of[knownClientRow](tx).Select("key").Where("user_id = ?", row.UserID).Order("expires_at DESC, key").
		Offset(auth.MaxKnownClients)
	_, err = table.Of[knownClientRow](tx).Where("user_id = ? AND key IN (?)", row.UserID, oldest).Delete(ctx)
	return err
}
