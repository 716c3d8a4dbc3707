package marketrows

import (
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// These are the rows of the tables. Most have the same fields in the same order as a value
// of the domain and are converted as a whole, so that a missing field does not compile. The
// columns of books and orders that are only compared or counted are missing here: the statements
// that add a book or an order have them.

// BookRow is a book.
type BookRow struct {
	ID                         int64 `gorm:"primaryKey;autoIncrement:false"`
	SellerID, BuyerID, Status  int64
	Name, Course               string
	Edition, Price, Condition  int64
	AvailableAt                int64
	Comments, ISBN, University string
	CreatedAt                  int64 `gorm:"autoCreateTime:false"`
	ListedAt, Held             int64
	Authors                    string
}

// OrderRow is an order.
type OrderRow struct {
	ID           order.ID `gorm:"primaryKey;autoIncrement:false"`
	Book         book.ID  `gorm:"column:book_id"`
	Name         string
	University   string
	Buyer        user.ID `gorm:"column:buyer_id"`
	Seller       user.ID `gorm:"column:seller_id"`
	Price, Fee   money.Amount
	Status       order.Status
	Reason       string
	CreatedAt    time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	VerifiedAt   time.Time `gorm:"serializer:micros"`
	DeliveredAt  time.Time `gorm:"serializer:micros"`
	CancelledAt  time.Time `gorm:"serializer:micros"`
	VerifiedBy   user.ID
	DeliveredBy  user.ID
	CancelledBy  user.ID
	Handover     order.Handover
	HandedOverAt time.Time `gorm:"serializer:micros"`
	Settlement   order.Settlement
	RemindedAt   time.Time `gorm:"serializer:micros"`
}

// RequestRow is a request.
type RequestRow struct {
	ID    book.RequestID `gorm:"primaryKey;autoIncrement:false"`
	Owner user.ID        `gorm:"column:owner_id"`
	book.RequestDetails
	Status    book.RequestStatus
	FilledBy  book.ID
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

// TableName implements GORM's Tabler.
func (BookRow) TableName() string { return "books" }

// TableName implements GORM's Tabler.
func (OrderRow) TableName() string { return "orders" }

// TableName implements GORM's Tabler.
func (RequestRow) TableName() string { return "requests" }

// Book converts the row.
func (r *BookRow) Book() book.Book {
	return book.Book{
		ID: book.ID(r.ID), Seller: user.ID(r.SellerID), Buyer: user.ID(r.BuyerID), Status: book.Status(r.Status),
		Details: book.Details{
			Name: r.Name, Course: r.Course, Edition: int(r.Edition), Price: money.Amount(r.Price), Condition: book.Condition(r.Condition),
			Date:     time.UnixMicro(r.AvailableAt).UTC(), // 0 is a valid date
			Comments: r.Comments, ISBN: book.ISBN(r.ISBN), Authors: r.Authors,
		},
		University: r.University, CreatedAt: rawsql.Time(r.CreatedAt), ListedAt: rawsql.Time(r.ListedAt), Held: r.Held != 0,
	}
}

// Order converts the row.
func (r *OrderRow) Order() order.Order { return order.Order(*r) }

// Request converts the row.
func (r *RequestRow) Request() book.Request { return book.Request(*r) }
