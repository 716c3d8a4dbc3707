package buyingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type entryRow struct {
	Order    order.ID       `gorm:"column:order_id;primaryKey;autoIncrement:false"`
	Movement order.Movement `gorm:"primaryKey;autoIncrement:false"`
	Account  order.Account  `gorm:"primaryKey;autoIncrement:false"`
	Amount   money.Amount
	At       time.Time `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface.
func (entryRow) TableName() string { return "ledger" }

// orders is a part of buying.Store.
type orders struct{ marketrows.Handle }

func (s orders) LockOrder(ctx context.Context, id book.ID) (order.Order, error) {
	return s.live(ctx, id, rawsql.ForNoKeyUpdate)
}

func (s orders) FindLiveOrder(ctx context.Context, id book.ID) (order.Order, error) {
	return s.live(ctx, id)
}

func (s orders) live(ctx context.Context, id book.ID, lock ...clause.Expression) (order.Order, error) {
	live := table.Of[marketrows.OrderRow](s.Session, lock...).Where("book_id = ? AND status > 0", id)
	o, err := rawsql.Take(ctx, live, order.ErrNotFound)
	return o.Order(), err
}

func (s orders) UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	n, err := table.Of[marketrows.OrderRow](s.Session).Where("id = ? AND status = ?", o.ID, was).
		Select("status", "reason", "verified_at", "delivered_at", "cancelled_at", "verified_by", "delivered_by", "cancelled_by",
			"handover", "handed_over_at", "settlement", "reminded_at").Updates(ctx, marketrows.OrderRow(o))
	if err == nil && n == 0 {
		err = order.ErrTransition
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	rows := rawsql.Convert(entries, func(e *order.Entry) entryRow { return entryRow(*e) })
	return table.Of[entryRow](s.Session).CreateInBatches(ctx, &rows, len(rows))
}

func (s orders) HasOpenOrders(ctx context.Context, id user.ID) (bool, error) {
	return marketrows.Exists(ctx, s.Handle, `SELECT 1 FROM orders WHERE buyer_id = ? AND +status IN (1, 2) LIMIT 1`,
		`SELECT 1 FROM orders WHERE seller_id = ? AND +status IN (1, 2) LIMIT 1`, []any{int64(id)})
}

func (s orders) CountWithdrawals(ctx context.Context, buyer user.ID, after time.Time) (int, error) {
	if err := s.AdvisoryLock(ctx, "withdrawals of "+buyer.String()); err != nil { // or two transactions could both be the last one
		return 0, err
	}
	return table.Of[marketrows.OrderRow](s.Session).Where("buyer_id = ? AND cancelled_by = ? AND cancelled_at > ?", buyer, buyer, rawsql.Micros(after)).Count(ctx)
}

// countPurchases reads the orders of a buyer from their index: the plus keeps the planners from
// that of all orders in a status.
const countPurchases = `SELECT (SELECT count(*) FROM orders WHERE buyer_id = ? AND +status = 1),
	(SELECT count(*) FROM (SELECT 1 FROM orders WHERE buyer_id = ? AND +status = 3 LIMIT ?) AS delivered)`

func (s orders) CountPurchases(ctx context.Context, buyer user.ID) (order.Purchases, error) {
	if err := s.AdvisoryLock(ctx, "purchases of "+buyer.String()); err != nil { // or two checkouts could both be the last one
		return order.Purchases{}, err
	}
	p, _, err := rawsql.One(ctx, s.Conn, readPurchases, countPurchases, int64(buyer), int64(buyer), order.MaxOpenPurchases)
	return p, err
}

func readPurchases() ([]any, func() order.Purchases) {
	var p order.Purchases
	return []any{&p.Open, &p.Delivered}, func() order.Purchases { return p }
}

func (s orders) ListOpenOrdersOf(ctx context.Context, id user.ID) ([]order.Order, error) {
	return rawsql.List(ctx, table.Of[marketrows.OrderRow](s.Session).
		Where("id IN (SELECT id FROM orders WHERE buyer_id = ? AND +status IN (1, 2) UNION ALL SELECT id FROM orders WHERE seller_id = ? AND +status IN (1, 2))", id, id).Order("book_id"), (*marketrows.OrderRow).Order)
}

// insertedOrders begins an INSERT of orders with the columns of orderValues, and those that are copied
// from the book: its university and what statistics and price hints group by, which cannot change
// while the order is live.
const insertedOrders = `INSERT INTO orders (id, book_id, name, name_key, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, handover, handed_over_at, settlement,
	reminded_at, waited, course, course_key, isbn, university, university_key) `

const insertOrder = insertedOrders + `SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
	? - b.listed_at, b.course, b.course_key, b.isbn, b.university, b.university_key FROM books b WHERE b.id = ?`

func orderValues(o order.Order) []any {
	return []any{
		int64(o.ID), int64(o.Book), o.Name, book.TitleKey(o.Name), int64(o.Buyer), int64(o.Seller), int64(o.Price), int64(o.Fee),
		int(o.Status), o.Reason, rawsql.Micros(o.CreatedAt), rawsql.Micros(o.VerifiedAt), rawsql.Micros(o.DeliveredAt), rawsql.Micros(o.CancelledAt),
		int64(o.VerifiedBy), int64(o.DeliveredBy), int64(o.CancelledBy),
		int(o.Handover), rawsql.Micros(o.HandedOverAt), int(o.Settlement), rawsql.Micros(o.RemindedAt),
	}
}

func (s orders) AddOrder(ctx context.Context, o order.Order) error {
	_, err := s.Exec(ctx, insertOrder, append(orderValues(o), rawsql.Micros(o.CreatedAt), int64(o.Book))...)
	if gormstore.IsUnique(err) {
		return book.ErrNotAvailable
	}
	return err
}
