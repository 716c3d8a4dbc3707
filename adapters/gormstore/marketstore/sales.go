package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// orderColumns are those of orders o, in the order of orderRow.
const orderColumns = `o.id, o.book_id, o.name, o.buyer_id, o.seller_id, o.price, o.fee, o.status, o.reason,
	o.created_at, o.verified_at, o.delivered_at, o.cancelled_at`

type orderRow struct {
	id, book, buyer, seller, price, fee, status     int64
	createdAt, verifiedAt, deliveredAt, cancelledAt int64
	name, reason                                    string
}

func (r *orderRow) columns(more ...any) []any {
	return append([]any{
		&r.id, &r.book, &r.name, &r.buyer, &r.seller, &r.price, &r.fee, &r.status, &r.reason,
		&r.createdAt, &r.verifiedAt, &r.deliveredAt, &r.cancelledAt,
	}, more...)
}

func (r *orderRow) order() order.Order {
	return order.Order{
		ID: order.ID(r.id), Book: book.ID(r.book), Name: r.name, Buyer: user.ID(r.buyer), Seller: user.ID(r.seller),
		Price: money.Cents(r.price), Fee: money.Cents(r.fee), Status: order.Status(r.status), Reason: r.reason,
		CreatedAt: rawsql.Time(r.createdAt), VerifiedAt: rawsql.Time(r.verifiedAt),
		DeliveredAt: rawsql.Time(r.deliveredAt), CancelledAt: rawsql.Time(r.cancelledAt),
	}
}

func readOrder() ([]any, func() order.Order) {
	var r orderRow
	return r.columns(), r.order
}

// sales is market.SaleStore.
type sales struct{ conn }

// insertOrder takes from the book what the statistics group by. It cannot change
// while the order stands.
const insertOrder = `INSERT INTO orders (id, book_id, name, name_key, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, waited, course, course_key)
	SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? - b.listed_at, b.course, b.course_key FROM books b WHERE b.id = ?`

func orderValues(o order.Order) []any {
	return []any{
		int64(o.ID), int64(o.Book), o.Name, book.TitleKey(o.Name), int64(o.Buyer), int64(o.Seller), int64(o.Price), int64(o.Fee),
		int(o.Status), o.Reason, rawsql.Micros(o.CreatedAt), rawsql.Micros(o.VerifiedAt), rawsql.Micros(o.DeliveredAt), rawsql.Micros(o.CancelledAt),
		rawsql.Micros(o.CreatedAt), int64(o.Book),
	}
}

func (s sales) Add(ctx context.Context, o order.Order) error {
	_, err := s.Exec(ctx, insertOrder, orderValues(o)...)
	if gormstore.IsUnique(err) {
		return book.ErrNotAvailable
	}
	return err
}

func (s sales) Hold(ctx context.Context, id book.ID) (order.Order, error) {
	o, found, err := rawsql.One(ctx, s.Conn, readOrder, "SELECT "+orderColumns+" FROM orders o WHERE o.book_id = ? AND o.status > 0"+s.ForNoKeyUpdate(), int64(id))
	if err == nil && !found {
		err = order.ErrNotFound
	}
	return o, err
}

func (s sales) Save(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	n, err := s.Exec(ctx, `UPDATE orders SET status = ?, reason = ?, verified_at = ?, delivered_at = ?, cancelled_at = ?
		WHERE id = ? AND status = ?`, int(o.Status), o.Reason, rawsql.Micros(o.VerifiedAt), rawsql.Micros(o.DeliveredAt), rawsql.Micros(o.CancelledAt), int64(o.ID), int(was))
	if err != nil {
		return err
	}
	if n == 0 {
		return order.ErrTransition
	}
	for _, e := range entries {
		if _, err := s.Exec(ctx, insertEntry, entryValues(e)...); err != nil {
			return err
		}
	}
	return nil
}

const insertEntry = "INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (?, ?, ?, ?, ?)"

func entryValues(e order.Entry) []any {
	return []any{int64(e.Order), int(e.Movement), int(e.Account), int64(e.Amount), rawsql.Micros(e.At)}
}

func (s sales) Placed(ctx context.Context, ids []order.ID) ([]order.Order, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return rawsql.Collect(ctx, s.Conn, readOrder, "SELECT "+orderColumns+" FROM orders o WHERE o.id IN ("+marks+") ORDER BY o.id", args...)
}
