package outboxstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// optOutRow is an address that has unsubscribed from mails of optional kinds.
type optOutRow struct {
	Email user.Email `gorm:"primaryKey"`
	At    time.Time  `gorm:"serializer:micros"`
}

// TableName implements GORM's schema.Tabler.
func (optOutRow) TableName() string { return "mail_optouts" }

// OptOuts stores who has unsubscribed from mails of optional kinds.
type OptOuts struct{ db *gormstore.DB }

// NewOptOuts returns the opt-outs in db.
func NewOptOuts(db *gormstore.DB) *OptOuts { return &OptOuts{db} }

// AddOptOut unsubscribes an address.
func (o *OptOuts) AddOptOut(ctx context.Context, email user.Email, now time.Time) error {
	return o.db.Atomically(ctx, func(tx *gorm.DB) error {
		row := optOutRow{email, now}
		return table.Of[optOutRow](tx, clause.OnConflict{DoNothing: true}).Create(tx.Statement.Context, &row)
	})
}

// FindOptOuts returns which of the addresses have unsubscribed.
func (o *OptOuts) FindOptOuts(ctx context.Context, emails []user.Email) (map[user.Email]bool, error) {
	optedOut := map[user.Email]bool{}
	for chunk := range slices.Chunk(emails, rawsql.RowsPerStatement) {
		found, err := table.Of[optOutRow](o.db.Read).Where("email IN ?", rawsql.Padded(chunk)).Find(ctx)
		if err != nil {
			return nil, fmt.Errorf("read opt-outs: %w", err)
		}
		for _, row := range found {
			optedOut[row.Email] = true
		}
	}
	return optedOut, nil
}

// CopyOptOut unsubscribes an address in the transaction tx if another one is.
func CopyOptOut(ctx context.Context, tx *gorm.DB, from, to user.Email) error {
	found, err := table.Of[optOutRow](tx).Where("email = ?", from).Find(ctx)
	if err != nil || len(found) == 0 {
		return err
	}
	return table.Of[optOutRow](tx, clause.OnConflict{DoNothing: true}).Create(ctx, &optOutRow{to, found[0].At})
}
