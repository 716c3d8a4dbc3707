package marketstore

import (
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// These are the columns that statements written by hand read, each list beside what its
// columns are scanned into.

// bookColumns are those of books b.
const bookColumns = `b.id, b.seller_id, b.buyer_id, b.status, b.name, b.course, b.edition, b.price, b.grade,
	b.available_at, b.comments, b.isbn, b.university, b.created_at, b.listed_at`

func (r *bookRow) columns(more ...any) []any {
	return append([]any{
		&r.ID, &r.SellerID, &r.BuyerID, &r.Status, &r.Name, &r.Course, &r.Edition, &r.Price, &r.Grade,
		&r.AvailableAt, &r.Comments, &r.ISBN, &r.University, &r.CreatedAt, &r.ListedAt,
	}, more...)
}

func readBook() ([]any, func() book.Book) {
	var r bookRow
	return r.columns(), r.book
}

// orderColumns are those of orders o.
const orderColumns = `o.id, o.book_id, o.name, o.buyer_id, o.seller_id, o.price, o.fee, o.status, o.reason,
	o.created_at, o.verified_at, o.delivered_at, o.cancelled_at`

func (r *orderRow) columns(more ...any) []any {
	return append([]any{
		&r.ID, &r.Book, &r.Name, &r.Buyer, &r.Seller, &r.Price, &r.Fee, &r.Status, &r.Reason,
		rawsql.ScanTime(&r.CreatedAt), rawsql.ScanTime(&r.VerifiedAt), rawsql.ScanTime(&r.DeliveredAt), rawsql.ScanTime(&r.CancelledAt),
	}, more...)
}

// requestColumns are those of requests r.
const requestColumns = "r.id, r.owner_id, r.name, r.course, r.isbn, r.edition, r.max_price, r.status, r.filled_by, r.created_at"

func (r *requestRow) columns(more ...any) []any {
	return append([]any{
		&r.ID, &r.Owner, &r.Name, &r.Course, &r.ISBN, &r.Edition, &r.MaxPrice, &r.Status, &r.FilledBy, rawsql.ScanTime(&r.CreatedAt),
	}, more...)
}

func readRequest() ([]any, func() book.Request) {
	var r requestRow
	return r.columns(), r.request
}

// personColumns are those of users under an alias; what is erased is empty.
func personColumns(u string) string {
	columns := u + ".id, " + u + ".lang"
	for _, c := range []string{"email", "first_name", "last_name", "university", "campus_mailbox", "payment_username"} {
		columns += ", COALESCE(" + u + "." + c + ", '')"
	}
	return columns
}

func scanPerson(p *market.User) []any {
	return []any{
		&p.ID, &p.Lang, &p.Email,
		&p.Profile.FirstName, &p.Profile.LastName, &p.Profile.University, &p.Profile.CampusMailbox, &p.Profile.PaymentUsername,
	}
}

func readPerson() ([]any, func() market.User) {
	var p market.User
	return scanPerson(&p), func() market.User { return p }
}
