package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// idempotencyKeys is a part of market.Stores.
type idempotencyKeys struct{ conn }

func (s idempotencyKeys) ClaimKey(ctx context.Context, owner user.ID, key string, then, now time.Time) (*market.StoredResponse, error) {
	expired := gorm.Expr("idempotency_keys.created_at < ?", rawsql.Micros(then))
	renew := clause.OnConflict{UpdateAll: true, Where: clause.Where{Exprs: []clause.Expression{expired}}}
	claimed := gorm.WithResult()
	err := table.Of[responseRow](s.session, renew, claimed).Create(ctx, &responseRow{OwnerID: owner, Key: key, BodyHash: []byte{}, CreatedAt: now})
	if err != nil {
		return nil, err
	}
	if claimed.RowsAffected == 1 {
		return nil, s.sweep(ctx, then)
	}
	stored, err := table.Of[responseRow](s.session).Where("owner_id = ? AND key = ?", owner, key).Take(ctx)
	if err != nil {
		return nil, err
	}
	return stored.response(), nil
}

// sweepBatch is how many expired responses a claim deletes: more than the one that it adds,
// so that the table shrinks, but few enough not to delay the caller.
const sweepBatch = 20

// sweep deletes expired responses. It skips those that another transaction is deleting, so
// that claims do not wait for each other.
func (s idempotencyKeys) sweep(ctx context.Context, then time.Time) error {
	old := s.session.Model(responseRow{}).Clauses(rawsql.SkipLocked).Select("owner_id", "key").
		Where("created_at < ?", rawsql.Micros(then)).Order("created_at").Limit(sweepBatch)
	_, err := table.Of[responseRow](s.session).Where("(owner_id, key) IN (?)", old).Delete(ctx)
	return err
}

func (s idempotencyKeys) SaveResponse(ctx context.Context, owner user.ID, key string, r market.StoredResponse) error {
	_, err := table.Of[responseRow](s.session).Select("body_hash", "refusal", "created", "books", "total").Where("owner_id = ? AND key = ?", owner, key).
		Updates(ctx, responseRow{BodyHash: r.BodyHash[:], Refusal: r.Refusal, Created: r.Created, Books: r.Books, Total: r.Total})
	return err
}
