package outboxstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// optoutRow is somebody who does without mails of optional kinds.
type optoutRow struct {
	Email string `gorm:"primaryKey"`
	At    int64
}

// TableName is read by GORM.
func (optoutRow) TableName() string { return "mail_optouts" }

// Optouts remembers who does without mails of optional kinds.
type Optouts struct{ db *gormstore.DB }

// NewOptouts opens the opt-outs in db.
func NewOptouts(db *gormstore.DB) *Optouts { return &Optouts{db} }

// Decline notes that somebody does without.
func (o *Optouts) Decline(ctx context.Context, who user.Email, now time.Time) error {
	return o.db.Atomically(ctx, func(tx *gorm.DB) error {
		row := optoutRow{string(who), rawsql.Micros(now)}
		return gorm.G[optoutRow](tx, clause.OnConflict{DoNothing: true}).Create(tx.Statement.Context, &row)
	})
}

// Declined tells which of these people did.
func (o *Optouts) Declined(ctx context.Context, who []user.Email) (map[user.Email]bool, error) {
	declined := map[user.Email]bool{}
	for chunk := range slices.Chunk(who, rowsPerInsert) {
		_, emails := rawsql.In(chunk)
		found, err := gorm.G[optoutRow](o.db.Read).Where("email IN ?", emails).Find(ctx)
		if err != nil {
			return nil, fmt.Errorf("read opt-outs: %w", err)
		}
		for _, row := range found {
			declined[user.Email(row.Email)] = true
		}
	}
	return declined, nil
}
