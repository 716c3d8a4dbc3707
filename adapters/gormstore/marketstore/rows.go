package marketstore

import (
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// These are the rows of the tables. Most have the same fields in the same order as a value
// of the domain and are converted as a whole, so that a missing field does not compile. The
// columns of books and orders that are only compared or counted are missing here, see
// insertBook and insertOrder.

type bookRow struct {
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

type orderRow struct {
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

type entryRow struct {
	Order    order.ID       `gorm:"column:order_id;primaryKey;autoIncrement:false"`
	Movement order.Movement `gorm:"primaryKey;autoIncrement:false"`
	Account  order.Account  `gorm:"primaryKey;autoIncrement:false"`
	Amount   money.Amount
	At       time.Time `gorm:"serializer:micros"`
}

type requestRow struct {
	ID    book.RequestID `gorm:"primaryKey;autoIncrement:false"`
	Owner user.ID        `gorm:"column:owner_id"`
	book.RequestDetails
	Status    book.RequestStatus
	FilledBy  book.ID
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

type requestKeyRow struct {
	RequestID book.RequestID `gorm:"primaryKey;autoIncrement:false"`
	Key       string         `gorm:"primaryKey"`
	Words     book.BloomFilter
}

type matchRow struct {
	ID        int64          `gorm:"primaryKey;autoIncrement:false"`
	Book      book.ID        `gorm:"column:book_id"`
	Request   book.RequestID `gorm:"column:request_id"`
	Owner     user.ID        `gorm:"column:owner_id"`
	Reason    book.Reason
	Holds     int
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

type cartRow struct {
	OwnerID user.ID   `gorm:"primaryKey;autoIncrement:false"`
	BookID  book.ID   `gorm:"primaryKey;autoIncrement:false"`
	AddedAt time.Time `gorm:"serializer:micros"`
	Price   money.Amount
}

type photoRow struct {
	ID            photo.ID `gorm:"primaryKey;autoIncrement:false"`
	Book          book.ID  `gorm:"column:book_id"`
	Owner         user.ID  `gorm:"column:owner_id"`
	State         photo.State
	Width, Height int
	CreatedAt     time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	ChangedAt     time.Time `gorm:"serializer:micros"`
	LargeSum      photo.Sum
	ThumbSum      photo.Sum
}

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

type notificationRow struct {
	ID           notification.ID `gorm:"primaryKey;autoIncrement:false"`
	User         user.ID         `gorm:"column:user_id;primaryKey;autoIncrement:false"`
	Kind         notification.Kind
	Message      string
	Book         book.ID         `gorm:"column:book_id"`
	Order        order.ID        `gorm:"column:order_id"`
	CreatedAt    time.Time       `gorm:"serializer:micros;autoCreateTime:false"`
	ReadAt       time.Time       `gorm:"serializer:micros"`
	Conversation conversation.ID `gorm:"column:conversation_id"`
}

// counterRow is the number of a user's last notification.
type counterRow struct {
	UserID user.ID `gorm:"primaryKey;autoIncrement:false"`
	LastID notification.ID
}

// TableName is part of GORM's interface, here and below.
func (bookRow) TableName() string         { return "books" }
func (orderRow) TableName() string        { return "orders" }
func (entryRow) TableName() string        { return "ledger" }
func (requestRow) TableName() string      { return "requests" }
func (requestKeyRow) TableName() string   { return "request_keys" }
func (matchRow) TableName() string        { return "matches" }
func (cartRow) TableName() string         { return "carts" }
func (photoRow) TableName() string        { return "photos" }
func (responseRow) TableName() string     { return "idempotency_keys" }
func (notificationRow) TableName() string { return "notifications" }
func (counterRow) TableName() string      { return "notification_counters" }

func (r *bookRow) book() book.Book {
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

func (r *orderRow) order() order.Order      { return order.Order(*r) }
func (r *photoRow) photo() photo.Photo      { return photo.Photo(*r) }
func (r *requestRow) request() book.Request { return book.Request(*r) }
func (r *notificationRow) notification() notification.Notification {
	return notification.Notification(*r)
}

func (r *responseRow) response() *market.StoredResponse {
	response := market.StoredResponse{Refusal: r.Refusal, Created: r.Created, Books: r.Books, Total: r.Total, At: r.CreatedAt}
	copy(response.BodyHash[:], r.BodyHash)
	return &response
}
