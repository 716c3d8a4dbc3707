package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// replies is market.IdempotencyStore.
type replies struct{ conn }

func (s replies) ClaimKey(ctx context.Context, owner user.ID, key string, then, now time.Time) (*market.StoredResponse, error) {
	outdated := gorm.Expr("replies.created_at < ?", rawsql.Micros(then))
	renew := clause.OnConflict{UpdateAll: true, Where: clause.Where{Exprs: []clause.Expression{outdated}}}
	claimed := gorm.WithResult()
	err := gorm.G[replyRow](s.session, renew, claimed).Create(ctx, &replyRow{OwnerID: owner, Key: key, BodyHash: []byte{}, CreatedAt: now})
	if err != nil {
		return nil, err
	}
	if claimed.RowsAffected == 1 {
		return nil, s.sweep(ctx, then)
	}
	kept, err := gorm.G[replyRow](s.session).Where("owner_id = ? AND key = ?", owner, key).Take(ctx)
	if err != nil {
		return nil, err
	}
	return kept.reply(), nil
}

// swept is how many old replies a claim takes away: more than the one that it
// adds, and not so many that somebody waits for it.
const swept = 20

// sweep forgets old replies. Those that another step is forgetting are left to it,
// so that claims do not wait for each other.
func (s replies) sweep(ctx context.Context, then time.Time) error {
	old := s.session.Model(replyRow{}).Clauses(rawsql.SkipLocked).Select("owner_id", "key").
		Where("created_at < ?", rawsql.Micros(then)).Order("created_at").Limit(swept)
	_, err := gorm.G[replyRow](s.session).Where("(owner_id, key) IN (?)", old).Delete(ctx)
	return err
}

func (s replies) SaveResponse(ctx context.Context, owner user.ID, key string, r market.StoredResponse) error {
	_, err := gorm.G[replyRow](s.session).Select("body_hash", "refusal", "orders", "unavailable").Where("owner_id = ? AND key = ?", owner, key).
		Updates(ctx, replyRow{BodyHash: r.BodyHash[:], Refusal: r.Refusal, Made: r.Created, Books: r.Books})
	return err
}
