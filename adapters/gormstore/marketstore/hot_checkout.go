package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// These are the hand-written statements of a checkout, see the package comment.

func (s books) LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+" FROM books b WHERE b.id IN ("+marks+") ORDER BY b.id"+s.Locking(rawsql.ForNoKeyUpdate), args...)
}

func (s requests) ListOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error) {
	return rawsql.Collect(ctx, s.Conn, readRequest, "SELECT "+requestColumns+` FROM requests r
		WHERE r.owner_id = ? AND r.status = 0 ORDER BY r.id LIMIT ?`+s.Locking(rawsql.ForNoKeyUpdate), int64(owner), book.MaxOpenRequests)
}

func (s carts) RemoveFromCart(ctx context.Context, owner user.ID, ids ...book.ID) error {
	statement, args := "DELETE FROM carts WHERE owner_id = ?", []any{int64(owner)}
	if len(ids) > 0 {
		marks, books := rawsql.In(ids)
		statement, args = statement+" AND book_id IN ("+marks+")", append(args, books...)
	}
	_, err := s.Exec(ctx, statement, args...)
	return err
}

const updateBook = `UPDATE books SET seller_id = ?, buyer_id = ?, status = ?, name = ?, course = ?, edition = ?, price = ?, grade = ?,
	available_at = ?, comments = ?, isbn = ?, university = ?, created_at = ?, listed_at = ?, held = ?, title_key = ?, course_key = ?, university_key = ?
	WHERE id = ? AND status = ?`

func (s books) UpdateBook(ctx context.Context, b book.Book, was book.Status) error {
	n, err := s.Exec(ctx, updateBook, append(bookValues(b), int(was))...)
	if err != nil {
		return err
	}
	if n == 0 {
		return book.ErrNotAvailable
	}
	if was == book.ForSale {
		if err := s.text.remove(ctx, b.ID); err != nil {
			return err
		}
	}
	if b.Status == book.ForSale {
		return s.index(ctx, b)
	}
	return nil
}

// insertOrder copies from the book its university and what statistics and price hints group
// by, which cannot change while the order is live.
const insertOrder = `INSERT INTO orders (id, book_id, name, name_key, buyer_id, seller_id, price, fee, status, reason,
	created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, handover, handed_over_at, settlement,
	reminded_at, waited, course, course_key, isbn, university, university_key)
	SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? - b.listed_at, b.course, b.course_key, b.isbn, b.university, b.university_key FROM books b WHERE b.id = ?`

func orderValues(o order.Order) []any {
	return []any{
		int64(o.ID), int64(o.Book), o.Name, book.TitleKey(o.Name), int64(o.Buyer), int64(o.Seller), int64(o.Price), int64(o.Fee),
		int(o.Status), o.Reason, rawsql.Micros(o.CreatedAt), rawsql.Micros(o.VerifiedAt), rawsql.Micros(o.DeliveredAt), rawsql.Micros(o.CancelledAt),
		int64(o.VerifiedBy), int64(o.DeliveredBy), int64(o.CancelledBy),
		int(o.Handover), rawsql.Micros(o.HandedOverAt), int(o.Settlement), rawsql.Micros(o.RemindedAt), rawsql.Micros(o.CreatedAt), int64(o.Book),
	}
}

func (s orders) AddOrder(ctx context.Context, o order.Order) error {
	_, err := s.Exec(ctx, insertOrder, orderValues(o)...)
	if gormstore.IsUnique(err) {
		return book.ErrNotAvailable
	}
	return err
}

func (s matches) ListInterestedUsers(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error) {
	return rawsql.Collect(ctx, s.Conn, rawsql.Integer[user.ID], `SELECT c.owner_id FROM carts c WHERE c.book_id = ? AND c.owner_id > ?
		UNION SELECT p.owner_id FROM pairs p JOIN requests r ON r.id = p.request_id
		WHERE p.book_id = ? AND p.holds = 1 AND p.owner_id > ? AND r.status = 0
		ORDER BY 1 LIMIT ?`, int64(id), int64(after), int64(id), int64(after), n)
}
