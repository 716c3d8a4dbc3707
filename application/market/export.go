package market

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// ExportReader reads what Export returns.
type ExportReader interface {
	ListingReader
	RequestReader
	OrderReader
	NotificationReader
	ReportReader
	RatingReader
	SavedSearchReader
	ImportReader
	ConversationReader
	BlockReader
}

// Export returns what the market stores about a user.
type Export struct {
	reader   ExportReader
	currency money.Currency
}

// NewExport returns the use case.
func NewExport(r ExportReader, c money.Currency) *Export { return &Export{r, c} }

// Exported has a user's data in the market. Amounts and statuses are those of the JSON API.
// People keep exports, so fields may be added, but neither renamed nor removed.
type Exported struct {
	Currency      string                 `json:"currency"`
	Books         []ExportedBook         `json:"books"`
	Requests      []ExportedRequest      `json:"requests"`
	Purchases     []ExportedOrder        `json:"purchases"`
	Sales         []ExportedOrder        `json:"sales"`
	Cart          []ExportedCartItem     `json:"cart"`
	Notifications []ExportedNotification `json:"notifications"`
	Reports       []ExportedReport       `json:"reports"`
	Ratings       []ExportedRating       `json:"ratings"`
	SavedSearches []ExportedSearch       `json:"savedSearches"`
	LastFile      *ExportedFile          `json:"lastFile"` // nil: none
	Conversations []ExportedConversation `json:"conversations"`
	Messages      []ExportedMessage      `json:"messages"` // that the user has written
	Blocked       []ExportedBlock        `json:"blocked"`
	Truncated     []string               `json:"truncated"` // names of the lists that have only the newest entries
}

// ExportedBook is a book that the user has posted.
type ExportedBook struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Course     string          `json:"course"`
	ISBN       string          `json:"isbn"`
	Edition    int             `json:"edition"`
	Condition  string          `json:"condition"`
	Price      json.Number     `json:"price"`
	Comments   string          `json:"comments"`
	University string          `json:"university"`
	Status     int             `json:"status"`
	Available  time.Time       `json:"available"`
	CreatedAt  time.Time       `json:"createdAt"`
	ListedAt   time.Time       `json:"listedAt"`
	Photos     []ExportedPhoto `json:"photos"`
}

// ExportedPhoto is a photo of a book; the path is that of the JPEG on this service.
type ExportedPhoto struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedRequest is a request of the user.
type ExportedRequest struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Course    string      `json:"course"`
	ISBN      string      `json:"isbn"`
	Edition   int         `json:"edition"`
	MaxPrice  json.Number `json:"maxPrice"` // 0: any
	Status    int         `json:"status"`
	CreatedAt time.Time   `json:"createdAt"`
}

// ExportedOrder is an order without the name and address of the other side.
type ExportedOrder struct {
	ID          string      `json:"id"`
	BookID      string      `json:"bookId"`
	Name        string      `json:"name"`
	Price       json.Number `json:"price"`
	Fee         json.Number `json:"fee"`
	Status      int         `json:"status"`
	Reason      string      `json:"reason"` // of a cancellation
	CreatedAt   time.Time   `json:"createdAt"`
	VerifiedAt  *time.Time  `json:"verifiedAt"`
	DeliveredAt *time.Time  `json:"deliveredAt"`
	CancelledAt *time.Time  `json:"cancelledAt"`
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

// ExportedReport is a report that the user has made. What an admin decided about somebody else
// is not the user's.
type ExportedReport struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"` // book, person or conversation
	TargetID  string    `json:"targetId"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	Open      bool      `json:"open"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedFile is the last file of books that the user has checked on the pages.
type ExportedFile struct {
	Lines     int       `json:"lines"` // without errors
	Posted    int       `json:"posted"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedSearch is a saved search of the user. An empty field or a price of 0 does not narrow it.
type ExportedSearch struct {
	ID         string      `json:"id"`
	Query      string      `json:"query"`
	University string      `json:"university"`
	Course     string      `json:"course"`
	Condition  string      `json:"condition"`
	MinPrice   json.Number `json:"minPrice"`
	MaxPrice   json.Number `json:"maxPrice"`
	Mail       bool        `json:"mail"`
	CreatedAt  time.Time   `json:"createdAt"`
}

// ExportedConversation is a conversation of the user.
type ExportedConversation struct {
	ID            string    `json:"id"`
	BookID        string    `json:"bookId"`
	BookName      string    `json:"bookName"`
	CreatedAt     time.Time `json:"createdAt"`
	LastMessageAt time.Time `json:"lastMessageAt"`
}

// ExportedMessage is a message that the user has written.
type ExportedMessage struct {
	ID             string     `json:"id"`
	ConversationID string     `json:"conversationId"`
	Text           string     `json:"text"`
	CreatedAt      time.Time  `json:"createdAt"`
	ReadAt         *time.Time `json:"readAt"`
}

// ExportedBlock is a person whom the user has blocked.
type ExportedBlock struct {
	UserID    string    `json:"userId"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedRating is what the user said about a sale.
type ExportedRating struct {
	OrderID     string    `json:"orderId"`
	AsDescribed bool      `json:"asDescribed"`
	Text        string    `json:"text"`
	CreatedAt   time.Time `json:"createdAt"`
}

// ExportData returns what the market stores about a user: an Exported with at most limit
// entries of each list, newest first.
func (e *Export) ExportData(ctx context.Context, of user.ID, limit int) (any, error) {
	out := Exported{Currency: e.currency.Code()}
	var err error
	read := exportReading{limit: limit, out: &out}
	out.Books, err = exportList(&read, "books", err, func(before int64, n int) ([]BookView, error) {
		return e.reader.ListBooksPostedBy(ctx, of, book.ID(before), n)
	}, func(v BookView) int64 { return int64(v.ID) }, e.exportedBook)
	out.Requests, err = exportList(&read, "requests", err, func(before int64, n int) ([]book.Request, error) {
		return e.reader.ListRequestsOf(ctx, of, book.RequestID(before), n)
	}, func(r book.Request) int64 { return int64(r.ID) }, e.exportedRequest)
	orders := func(side order.Side) func(int64, int) ([]OrderView, error) {
		return func(before int64, n int) ([]OrderView, error) {
			return e.reader.ListOrdersOf(ctx, of, side, 0, order.ID(before), n)
		}
	}
	orderID := func(v OrderView) int64 { return int64(v.ID) }
	out.Purchases, err = exportList(&read, "purchases", err, orders(order.BuyerSide), orderID, e.exportedOrder)
	out.Sales, err = exportList(&read, "sales", err, orders(order.SellerSide), orderID, e.exportedOrder)
	out.Notifications, err = exportList(&read, "notifications", err, func(before int64, n int) ([]notification.Notification, error) {
		return e.reader.ListNotifications(ctx, of, notification.ID(before), n)
	}, func(n notification.Notification) int64 { return int64(n.ID) }, exportedNotification)
	out.Reports, err = exportList(&read, "reports", err, func(before int64, n int) ([]ReportView, error) {
		return e.reader.ListReportsBy(ctx, of, report.ID(before), n)
	}, func(v ReportView) int64 { return int64(v.ID) }, exportedReport)
	out.Ratings, err = exportList(&read, "ratings", err, func(before int64, n int) ([]rating.Rating, error) {
		return e.reader.ListRatingsBy(ctx, of, order.ID(before), n)
	}, func(r rating.Rating) int64 { return int64(r.Order) }, exportedRating)
	out.SavedSearches, err = exportList(&read, "savedSearches", err, func(before int64, n int) ([]savedsearch.Search, error) {
		return e.reader.ListSearchesOf(ctx, of, savedsearch.ID(before), n)
	}, func(s savedsearch.Search) int64 { return int64(s.ID) }, e.exportedSearch)
	err = e.exportConversations(ctx, of, &read, err)
	if err != nil {
		return nil, err
	}
	switch file, err := e.reader.FindImport(ctx, of); {
	case err == nil:
		out.LastFile = &ExportedFile{file.Accepted, file.Posted, file.CreatedAt}
	case !errors.Is(err, ErrImportNotFound):
		return nil, err
	}
	items, err := e.reader.ListCartItems(ctx, of)
	for _, i := range items {
		out.Cart = append(out.Cart, ExportedCartItem{i.ID.String(), i.Name, i.AddedAt})
	}
	return out, err
}

func (e *Export) exportConversations(ctx context.Context, of user.ID, read *exportReading, err error) error {
	out := read.out
	out.Conversations, err = exportList(read, "conversations", err, func(before int64, n int) ([]ConversationView, error) {
		return e.reader.ListConversations(ctx, of, conversation.MessageID(before), n)
	}, func(v ConversationView) int64 { return int64(v.Last) }, exportedConversation)
	out.Messages, err = exportList(read, "messages", err, func(before int64, n int) ([]conversation.Message, error) {
		return e.reader.ListMessagesFrom(ctx, of, conversation.MessageID(before), n)
	}, func(m conversation.Message) int64 { return int64(m.ID) }, exportedMessage)
	out.Blocked, err = exportList(read, "blocked", err, func(before int64, n int) ([]BlockView, error) {
		return e.reader.ListBlocks(ctx, of, before, n)
	}, func(v BlockView) int64 { return v.ID }, func(v BlockView) ExportedBlock { return ExportedBlock{v.Of.String(), v.CreatedAt} })
	return err
}

func exportedConversation(v ConversationView) ExportedConversation {
	return ExportedConversation{v.ID.String(), v.Book.String(), v.BookName, v.CreatedAt, v.LastAt}
}

func exportedMessage(m conversation.Message) ExportedMessage {
	return ExportedMessage{m.ID.String(), m.Conversation.String(), m.Text, m.CreatedAt, optionalTime(m.ReadAt)}
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

func (e *Export) exportedBook(v BookView) ExportedBook {
	return ExportedBook{
		ID: v.ID.String(), Name: v.Name, Course: v.Course, ISBN: string(v.ISBN), Edition: v.Edition, Condition: v.Condition.String(),
		Price: e.amount(v.Price), Comments: v.Comments, University: v.University, Status: int(v.Status),
		Available: v.Date, CreatedAt: v.CreatedAt, ListedAt: v.ListedAt, Photos: exportedPhotos(v.Photos),
	}
}

func exportedPhotos(all []photo.Photo) []ExportedPhoto {
	out := make([]ExportedPhoto, 0, len(all))
	for _, p := range all {
		out = append(out, ExportedPhoto{p.ID.String(), p.ID.Path(photo.Large), p.Width, p.Height, p.CreatedAt})
	}
	return out
}

func (e *Export) exportedRequest(r book.Request) ExportedRequest {
	return ExportedRequest{
		ID: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: string(r.ISBN), Edition: r.Edition,
		MaxPrice: e.amount(r.MaxPrice), Status: int(r.Status), CreatedAt: r.CreatedAt,
	}
}

func (e *Export) exportedOrder(v OrderView) ExportedOrder {
	return ExportedOrder{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.amount(v.Price), Fee: e.amount(v.Fee), Status: int(v.Status),
		Reason: v.Reason, CreatedAt: v.CreatedAt, VerifiedAt: optionalTime(v.VerifiedAt), DeliveredAt: optionalTime(v.DeliveredAt),
		CancelledAt: optionalTime(v.CancelledAt),
	}
}

func (e *Export) exportedSearch(s savedsearch.Search) ExportedSearch {
	out := ExportedSearch{
		ID: s.ID.String(), Query: s.Query, University: s.University, Course: s.Course,
		MinPrice: e.amount(s.MinPrice), MaxPrice: e.amount(s.MaxPrice), Mail: s.Mail, CreatedAt: s.CreatedAt,
	}
	if s.Condition != 0 {
		out.Condition = s.Condition.String()
	}
	return out
}

func exportedNotification(n notification.Notification) ExportedNotification {
	return ExportedNotification{n.Message, n.CreatedAt, optionalTime(n.ReadAt)}
}

func exportedRating(r rating.Rating) ExportedRating {
	return ExportedRating{r.Order.String(), r.AsDescribed, r.Text, r.CreatedAt}
}

func exportedReport(v ReportView) ExportedReport {
	return ExportedReport{v.ID.String(), v.Target.Kind.String(), id.Format(v.Target.ID), string(v.Reason), v.Text, v.Open(), v.CreatedAt}
}

func (e *Export) amount(a money.Amount) json.Number { return json.Number(e.currency.Format(a)) }

// optionalTime is nil for the zero time.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
