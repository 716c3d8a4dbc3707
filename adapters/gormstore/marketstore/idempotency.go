package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// responseRow is the response to a request with a key.
type responseRow struct {
	OwnerID   user.ID `gorm:"primaryKey;autoIncrement:false"`
	Key       string  `gorm:"primaryKey"`
	BodyHash  []byte
	Refusal   string
	Created   []int64   `gorm:"serializer:json;not null"`
	Books     []book.ID `gorm:"serializer:json;not null"`
	Total     money.Amount
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

// TableName is part of GORM's interface.
func (responseRow) TableName() string { return "idempotency_keys" }

func (r *responseRow) response() *market.StoredResponse {
	response := market.StoredResponse{Refusal: r.Refusal, Created: r.Created, Books: r.Books, Total: r.Total, At: r.CreatedAt}
	copy(response.BodyHash[:], r.BodyHash)
	return &response
}

// idempotencyKeys is a part of market.Stores.
type idempotencyKeys struct{ marketrows.Handle }

func (s idempotencyKeys) ClaimKey(ctx context.Context, owner user.ID, key string, then, now time.Time) (*market.StoredResponse, error) {
	expired := gorm.Expr("idempotency_keys.created_at < ?", rawsql.Micros(then))
	renew := clause.OnConflict{UpdateAll: true, Where: clause.Where{Exprs: []clause.Expression{expired}}}
	claimed := gorm.WithResult()
	err := table.Of[responseRow](s.Session, renew, claimed).Create(ctx, &responseRow{OwnerID: owner, Key: key, BodyHash: []byte{}, CreatedAt: now})
	if err != nil {
		return nil, err
	}
	if claimed.RowsAffected == 1 {
		return nil, s.sweep(ctx, then)
	}
	stored, err := table.Of[responseRow](s.Session).Where("owner_id = ? AND key = ?", owner, key).Take(ctx)
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
	old := s.Session.Model(responseRow{}).Clauses(rawsql.SkipLocked).Select("owner_id", "key").
		Where("created_at < ?", rawsql.Micros(then)).Order("created_at").Limit(sweepBatch)
	_, err := table.Of[responseRow](s.Session).Where("(owner_id, key) IN (?)", old).Delete(ctx)
	return err
}

func (s idempotencyKeys) SaveResponse(ctx context.Context, owner user.ID, key string, r market.StoredResponse) error {
	_, err := table.Of[responseRow](s.Session).Select("body_hash", "refusal", "created", "books", "total").Where("owner_id = ? AND key = ?", owner, key).
		Updates(ctx, responseRow{BodyHash: r.BodyHash[:], Refusal: r.Refusal, Created: r.Created, Books: r.Books, Total: r.Total})
	return err
}
