package authstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/session"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// deviceRow is a browser and system that an account has been signed in from.
type deviceRow struct {
	UserID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Device    string `gorm:"primaryKey"`
	FirstSeen int64
}

// TableName is read by GORM.
func (deviceRow) TableName() string { return "known_devices" }

// maxDevices bounds how many browsers and systems of one user are remembered.
const maxDevices = 100

// noteDevice remembers a browser and system, and reports whether it is new.
func noteDevice(ctx context.Context, tx *gorm.DB, s session.Session) (bool, error) {
	added := gorm.WithResult()
	row := deviceRow{int64(s.User), s.Device.Browser + " / " + s.Device.OS, rawsql.Micros(s.CreatedAt)}
	err := gorm.G[deviceRow](tx, added, clause.OnConflict{DoNothing: true}).Create(ctx, &row)
	if err != nil || added.RowsAffected == 0 {
		return false, err
	}
	oldest := gorm.G[deviceRow](tx).Select("device").Where("user_id = ?", row.UserID).Order("first_seen DESC, device").Offset(maxDevices)
	_, err = gorm.G[deviceRow](tx).Where("user_id = ? AND device IN (?)", row.UserID, oldest).Delete(ctx)
	return true, err
}
