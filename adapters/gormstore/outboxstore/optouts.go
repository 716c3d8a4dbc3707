package outboxstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/user"
)

// Optouts remembers who does without mails of optional kinds.
type Optouts struct{ db *gormstore.DB }

// NewOptouts opens the opt-outs in db.
func NewOptouts(db *gormstore.DB) *Optouts { return &Optouts{db} }

// Decline notes that somebody does without.
func (o *Optouts) Decline(ctx context.Context, who user.Email, now time.Time) error {
	_, err := o.db.Exec(ctx, "INSERT INTO mail_optouts (email, at) VALUES (?, ?) ON CONFLICT (email) DO NOTHING", string(who), micros(now))
	return err
}

// Declined tells which of these people did.
func (o *Optouts) Declined(ctx context.Context, who []user.Email) (map[user.Email]bool, error) {
	declined := map[user.Email]bool{}
	for chunk := range slices.Chunk(who, rowsPerInsert) {
		var found []user.Email
		if err := o.db.Read.WithContext(ctx).Raw("SELECT email FROM mail_optouts WHERE email IN ?", padded(chunk)).Scan(&found).Error; err != nil {
			return nil, fmt.Errorf("read opt-outs: %w", err)
		}
		for _, email := range found {
			declined[email] = true
		}
	}
	return declined, nil
}
