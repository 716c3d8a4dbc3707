package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// ExportReader reads what Export returns.
type ExportReader interface {
	ListingReader
	RequestReader
	OrderReader
	NotificationReader
}

// Export returns what the market keeps about a user, for the user.
type Export struct{ reader ExportReader }

// NewExport returns the use case.
func NewExport(r ExportReader) *Export { return &Export{r} }

// Exported is a user's part of the market. Prices are in cents, statuses those of the JSON
// API. The names are a format that people keep: they may be added to.
type Exported struct {
	Books         []ExportedBook         `json:"books"`
	Requests      []ExportedRequest      `json:"requests"`
	Purchases     []ExportedOrder        `json:"purchases"`
	Sales         []ExportedOrder        `json:"sales"`
	Cart          []ExportedCartItem     `json:"cart"`
	Notifications []ExportedNotification `json:"notifications"`
	Truncated     []string               `json:"truncated"` // lists of which only the newest entries are here
}

// ExportedBook is a book that the user has posted.
type ExportedBook struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Course     string    `json:"course"`
	ISBN       string    `json:"isbn"`
	Edition    int       `json:"edition"`
	Condition  string    `json:"condition"`
	PriceCents int64     `json:"priceCents"`
	Comments   string    `json:"comments"`
	University string    `json:"university"`
	Status     int       `json:"status"`
	Available  time.Time `json:"available"`
	CreatedAt  time.Time `json:"createdAt"`
	ListedAt   time.Time `json:"listedAt"`
}

// ExportedRequest is a request of the user.
type ExportedRequest struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	Course        string    `json:"course"`
	ISBN          string    `json:"isbn"`
	Edition       int       `json:"edition"`
	MaxPriceCents int64     `json:"maxPriceCents"`
	Status        int       `json:"status"`
	CreatedAt     time.Time `json:"createdAt"`
}

// ExportedOrder is an order without the name and address of the other side.
type ExportedOrder struct {
	ID          string     `json:"id"`
	BookID      string     `json:"bookId"`
	Name        string     `json:"name"`
	PriceCents  int64      `json:"priceCents"`
	FeeCents    int64      `json:"feeCents"`
	Status      int        `json:"status"`
	Reason      string     `json:"reason"` // of a cancellation
	CreatedAt   time.Time  `json:"createdAt"`
	VerifiedAt  *time.Time `json:"verifiedAt"`
	DeliveredAt *time.Time `json:"deliveredAt"`
	CancelledAt *time.Time `json:"cancelledAt"`
}

// ExportedCartItem is a book in the user's cart.
type ExportedCartItem struct {
	BookID  string    `json:"bookId"`
	Name    string    `json:"name"`
	AddedAt time.Time `json:"addedAt"`
}

// ExportedNotification is a notification of the user.
type ExportedNotification struct {
	Message   string     `json:"message"`
	CreatedAt time.Time  `json:"createdAt"`
	ReadAt    *time.Time `json:"readAt"`
}

// ExportData returns what the market keeps about a user: an Exported with at most limit
// entries of each list, newest first.
func (e *Export) ExportData(ctx context.Context, of user.ID, limit int) (any, error) {
	var out Exported
	var err error
	read := exportReading{limit: limit, out: &out}
	out.Books, err = exportList(&read, "books", err, func(before int64, n int) ([]BookView, error) {
		return e.reader.ListBooksPostedBy(ctx, of, book.ID(before), n)
	}, func(v BookView) int64 { return int64(v.ID) }, exportedBook)
	out.Requests, err = exportList(&read, "requests", err, func(before int64, n int) ([]book.Request, error) {
		return e.reader.ListRequestsOf(ctx, of, book.RequestID(before), n)
	}, func(r book.Request) int64 { return int64(r.ID) }, exportedRequest)
	orders := func(side order.Side) func(int64, int) ([]OrderView, error) {
		return func(before int64, n int) ([]OrderView, error) {
			return e.reader.ListOrdersOf(ctx, of, side, order.ID(before), n)
		}
	}
	orderID := func(v OrderView) int64 { return int64(v.ID) }
	out.Purchases, err = exportList(&read, "purchases", err, orders(order.BuyerSide), orderID, exportedOrder)
	out.Sales, err = exportList(&read, "sales", err, orders(order.SellerSide), orderID, exportedOrder)
	out.Notifications, err = exportList(&read, "notifications", err, func(before int64, n int) ([]notification.Notification, error) {
		return e.reader.ListNotifications(ctx, of, notification.ID(before), n)
	}, func(n notification.Notification) int64 { return int64(n.ID) }, exportedNotification)
	if err != nil {
		return nil, err
	}
	items, err := e.reader.ListCartItems(ctx, of)
	for _, i := range items {
		out.Cart = append(out.Cart, ExportedCartItem{i.ID.String(), i.Name, i.AddedAt})
	}
	return out, err
}

// exportReading is an export in progress.
type exportReading struct {
	limit int
	out   *Exported
}

// exportPage is how many entries are read at once.
const exportPage = 100

// exportList reads a list in pages, unless an earlier one has failed.
func exportList[In, Out any](r *exportReading, name string, failed error, list func(before int64, n int) ([]In, error), id func(In) int64, convert func(In) Out) ([]Out, error) {
	if failed != nil {
		return nil, failed
	}
	all := []Out{}
	for before := int64(0); ; {
		page, err := list(before, exportPage)
		if err != nil {
			return nil, err
		}
		for _, in := range page {
			if len(all) == r.limit {
				r.out.Truncated = append(r.out.Truncated, name)
				return all, nil
			}
			all, before = append(all, convert(in)), id(in)
		}
		if len(page) < exportPage {
			return all, nil
		}
	}
}

func exportedBook(v BookView) ExportedBook {
	return ExportedBook{
		ID: v.ID.String(), Name: v.Name, Course: v.Course, ISBN: string(v.ISBN), Edition: v.Edition, Condition: v.Condition.String(),
		PriceCents: int64(v.Price), Comments: v.Comments, University: v.University, Status: int(v.Status),
		Available: v.Date, CreatedAt: v.CreatedAt, ListedAt: v.ListedAt,
	}
}

func exportedRequest(r book.Request) ExportedRequest {
	return ExportedRequest{
		ID: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: string(r.ISBN), Edition: r.Edition,
		MaxPriceCents: int64(r.MaxPrice), Status: int(r.Status), CreatedAt: r.CreatedAt,
	}
}

func exportedOrder(v OrderView) ExportedOrder {
	return ExportedOrder{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, PriceCents: int64(v.Price), FeeCents: int64(v.Fee), Status: int(v.Status),
		Reason: v.Reason, CreatedAt: v.CreatedAt, VerifiedAt: optionalTime(v.VerifiedAt), DeliveredAt: optionalTime(v.DeliveredAt),
		CancelledAt: optionalTime(v.CancelledAt),
	}
}

func exportedNotification(n notification.Notification) ExportedNotification {
	return ExportedNotification{n.Message, n.CreatedAt, optionalTime(n.ReadAt)}
}

// optionalTime is nil for the zero time.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
