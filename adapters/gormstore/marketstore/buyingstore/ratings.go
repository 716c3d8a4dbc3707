package buyingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type ratingRow struct {
	OrderID     order.ID `gorm:"primaryKey;autoIncrement:false"`
	ByID        user.ID  `gorm:"primaryKey;autoIncrement:false"`
	OfID        user.ID
	AsDescribed int
	Text        string
	CreatedAt   time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

// TableName is part of GORM's interface.
func (ratingRow) TableName() string { return "ratings" }

func (r *ratingRow) rating() rating.Rating {
	return rating.Rating{Order: r.OrderID, By: r.ByID, Of: r.OfID, AsDescribed: r.AsDescribed != 0, Text: r.Text, CreatedAt: r.CreatedAt}
}

// ratings is a part of buying.Store.
type ratings struct{ marketrows.Handle }

func (s ratings) SaveRating(ctx context.Context, r rating.Rating) error {
	row := ratingRow{OrderID: r.Order, ByID: r.By, OfID: r.Of, Text: r.Text, CreatedAt: r.CreatedAt}
	if r.AsDescribed {
		row.AsDescribed = 1
	}
	return table.Of[ratingRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &row)
}

// ListRatings implements buying.Reader.
func (s Reader) ListRatings(ctx context.Context, id order.ID) ([]rating.Rating, error) {
	return rawsql.List(ctx, table.Of[ratingRow](s.DB.Read).Where("order_id = ?", id).Order("by_id"), (*ratingRow).rating)
}

// CountRatings implements buying.Reader. It reads an index.
func (s Reader) CountRatings(ctx context.Context, of user.ID, newest int) (rating.Count, error) {
	read := func() ([]any, func() rating.Count) {
		var c rating.Count
		return []any{&c.People, &c.AsDescribed}, func() rating.Count { return c }
	}
	count, _, err := rawsql.One(ctx, s.Read.Conn, read, `SELECT count(*), count(*) FILTER (WHERE described = newest) FROM
		(SELECT max(order_id) AS newest, max(order_id * as_described) AS described FROM
			(SELECT by_id, order_id, as_described FROM ratings WHERE of_id = ? ORDER BY order_id DESC LIMIT ?) AS h
			GROUP BY by_id) AS s`, int64(of), newest)
	return count, err
}

// ListRatingsBy implements buying.Reader.
func (s Reader) ListRatingsBy(ctx context.Context, by user.ID, before order.ID, n int) ([]rating.Rating, error) {
	return rawsql.List(ctx, table.Of[ratingRow](s.DB.Read).Where("by_id = ? AND order_id < ?", by, rawsql.UpperBound(before)).Order("order_id DESC").Limit(n), (*ratingRow).rating)
}

// HasUpheldReport implements buying.Reader. It reads an index of these, because of some people hundreds of reports are
// open or were dismissed.
func (s Reader) HasUpheldReport(ctx context.Context, about user.ID, after time.Time) (bool, error) {
	_, found, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[int], `SELECT 1 FROM reports
		WHERE about_id = ? AND action NOT IN ('', 'dismiss') AND resolved_at > ? LIMIT 1`, int64(about), rawsql.Micros(after))
	return found, err
}
