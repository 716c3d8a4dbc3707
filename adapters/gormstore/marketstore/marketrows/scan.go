package marketrows

import (
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// These are the columns of hand-written queries, each list next to the destinations that it
// is scanned into.

// BookColumns are the columns of books b.
var BookColumns = "b.id, b.seller_id, b.buyer_id, b.status, b.edition, b.price, b.condition, b.available_at, b.created_at, b.listed_at, b.held, " +
	JoinTexts("b.name", "b.course", "b.isbn", "b.university", "b.authors", "b.comments")

// Columns are the destinations of BookColumns, and more.
func (r *BookRow) Columns(more ...any) []any {
	return append([]any{
		&r.ID, &r.SellerID, &r.BuyerID, &r.Status, &r.Edition, &r.Price, &r.Condition, &r.AvailableAt, &r.CreatedAt, &r.ListedAt, &r.Held,
		Texts{&r.Name, &r.Course, &r.ISBN, &r.University, &r.Authors, &r.Comments},
	}, more...)
}

// ReadBook scans BookColumns.
func ReadBook() ([]any, func() book.Book) {
	var r BookRow
	return r.Columns(), r.Book
}

// OrderColumns are the columns of orders o.
const OrderColumns = `o.id, o.book_id, o.name, o.university, o.buyer_id, o.seller_id, o.price, o.fee, o.status, o.reason,
	o.created_at, o.verified_at, o.delivered_at, o.cancelled_at, o.verified_by, o.delivered_by, o.cancelled_by,
	o.handover, o.handed_over_at, o.settlement, o.reminded_at`

// Columns are the destinations of OrderColumns, and more.
func (r *OrderRow) Columns(more ...any) []any {
	return append([]any{
		&r.ID, &r.Book, &r.Name, &r.University, &r.Buyer, &r.Seller, &r.Price, &r.Fee, &r.Status, &r.Reason,
		rawsql.ScanTime(&r.CreatedAt), rawsql.ScanTime(&r.VerifiedAt), rawsql.ScanTime(&r.DeliveredAt), rawsql.ScanTime(&r.CancelledAt),
		&r.VerifiedBy, &r.DeliveredBy, &r.CancelledBy, &r.Handover, rawsql.ScanTime(&r.HandedOverAt), &r.Settlement, rawsql.ScanTime(&r.RemindedAt),
	}, more...)
}

// RequestColumns are the columns of requests r.
const RequestColumns = "r.id, r.owner_id, r.name, r.course, r.isbn, r.edition, r.max_price, r.status, r.filled_by, r.created_at, r.authors"

// Columns are the destinations of RequestColumns, and more.
func (r *RequestRow) Columns(more ...any) []any {
	return append([]any{
		&r.ID, &r.Owner, &r.Name, &r.Course, &r.ISBN, &r.Edition, &r.MaxPrice, &r.Status, &r.FilledBy, rawsql.ScanTime(&r.CreatedAt), &r.Authors,
	}, more...)
}

// ReadRequest scans RequestColumns.
func ReadRequest() ([]any, func() book.Request) {
	var r RequestRow
	return r.Columns(), r.Request
}

// UserColumns are the columns of users under an alias. Those of a deleted account are empty.
func UserColumns(u string) string {
	columns := u + ".id, " + u + ".lang"
	for _, c := range []string{"email", "first_name", "last_name", "university", "campus_mailbox", "payment_username"} {
		columns += ", COALESCE(" + u + "." + c + ", '')"
	}
	return columns + ", (" + u + ".suspended_at IS NOT NULL OR " + u + ".delete_at IS NOT NULL), (" + u + ".campus_store = 1)"
}

// ScanUser returns the destinations of UserColumns.
func ScanUser(u *market.User) []any {
	return []any{
		&u.ID, &u.Lang, &u.Email,
		&u.Profile.FirstName, &u.Profile.LastName, &u.Profile.University, &u.Profile.CampusMailbox, &u.Profile.PaymentUsername,
		&u.Unavailable, &u.Store,
	}
}

// ReadUser scans UserColumns.
func ReadUser() ([]any, func() market.User) {
	var u market.User
	return ScanUser(&u), func() market.User { return u }
}
