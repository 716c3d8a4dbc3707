package authstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// challengeRow is a code or link.
type challengeRow struct {
	Purpose   string `gorm:"primaryKey"`
	Email     string `gorm:"primaryKey"`
	Subject   int64  `gorm:"primaryKey;autoIncrement:false"`
	Digest    digest
	Tries     int64          // of all unknown clients together
	TriedFrom map[string]int `gorm:"serializer:json"` // by challenge.Client.Key
	CreatedAt int64          `gorm:"autoCreateTime:false"`
	ExpiresAt int64
	UsedAt    sql.NullInt64
}

func (r *challengeRow) challenge() challenge.Challenge {
	return challenge.Challenge{
		Purpose: challenge.Purpose(r.Purpose), Email: user.Email(r.Email), Subject: r.Subject, Digest: r.Digest,
		Attempts:  challenge.Attempts{ByUnknown: int(r.Tries), ByClient: r.TriedFrom},
		CreatedAt: rawsql.Time(r.CreatedAt), ExpiresAt: rawsql.Time(r.ExpiresAt), UsedAt: rawsql.Time(r.UsedAt.Int64),
	}
}

// FindLink implements auth.Storage.
func (i *Identity) FindLink(ctx context.Context, of [sha256.Size]byte) (challenge.Challenge, error) {
	found, err := rawsql.Take(ctx, table.Of[challengeRow](i.db.Read).Where("digest = ?", digest(of)), challenge.ErrLinkInvalid)
	return found.challenge(), err
}

// challenges implements auth.Store within a transaction.
type challenges struct{ tx *gorm.DB }

// of selects the challenges for a purpose and an address.
func (c challenges) of(p challenge.Purpose, email user.Email, locking ...clause.Expression) *table.Query[challengeRow] {
	return table.Of[challengeRow](c.tx, locking...).Where("purpose = ? AND email = ?", string(p), string(email))
}

func (c challenges) PutChallenge(ctx context.Context, put challenge.Challenge, replaced ...challenge.Purpose) error {
	for _, p := range replaced {
		if _, err := c.of(p, put.Email).Where("subject = ?", put.Subject).Delete(ctx); err != nil {
			return err
		}
	}
	return table.Of[challengeRow](c.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &challengeRow{
		Purpose: string(put.Purpose), Email: string(put.Email), Subject: put.Subject, Digest: put.Digest, TriedFrom: map[string]int{},
		CreatedAt: rawsql.Micros(put.CreatedAt), ExpiresAt: rawsql.Micros(put.ExpiresAt),
	})
}

// CountAttempt locks the challenges before it counts, so that concurrent attempts
// cannot exceed the limit.
func (c challenges) CountAttempt(
	ctx context.Context, p challenge.Purpose, email user.Email, by challenge.Client, now time.Time,
) ([]challenge.Challenge, error) {
	rows, err := c.of(p, email, rawsql.ForUpdate).Where("used_at IS NULL AND expires_at > ?", now.UnixMicro()).Find(ctx)
	if err != nil {
		return nil, err
	}
	var open []challenge.Challenge
	for _, one := range rawsql.Convert(rows, (*challengeRow).challenge) {
		var counted bool
		one.Attempts, counted = one.Attempts.Add(by)
		if err := c.saveAttempts(ctx, one); err != nil { // even if it was not counted, to do the same work
			return nil, err
		}
		if counted {
			open = append(open, one)
		}
	}
	return open, nil
}

func (c challenges) saveAttempts(ctx context.Context, of challenge.Challenge) error {
	from, err := json.Marshal(of.Attempts.ByClient)
	if err != nil {
		return err
	}
	_, err = table.Of[challengeRow](c.tx).Where("digest = ?", digest(of.Digest)).
		Assign(ctx, map[string]any{"tries": of.Attempts.ByUnknown, "tried_from": string(from)})
	return err
}

func (c challenges) UseChallenge(ctx context.Context, used challenge.Challenge, now time.Time) (bool, error) {
	n, err := c.of(used.Purpose, used.Email).Where("subject = ? AND digest = ?", used.Subject, digest(used.Digest)).
		Where("used_at IS NULL AND expires_at > ?", now.UnixMicro()).Update(ctx, "used_at", now.UnixMicro())
	return n == 1, err
}

func (c challenges) DeleteChallenges(ctx context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error {
	if except == 0 {
		except = -1 // not the subject of any challenge
	}
	for _, p := range purposes {
		if _, err := c.of(p, email).Where("subject <> ?", except).Delete(ctx); err != nil {
			return err
		}
	}
	return nil
}
