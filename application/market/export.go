package market

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
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
	MeetingReader
	SavedSearchReader
	ImportReader
	CourseReader
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
	out.Meetings, err = exportList(&read, "meetings", err, func(before int64, n int) ([]meeting.Proposal, error) {
		return e.reader.ListMeetingsBy(ctx, of, meeting.ID(before), n)
	}, func(p meeting.Proposal) int64 { return int64(p.ID) }, exportedMeeting)
	out.SavedSearches, err = exportList(&read, "savedSearches", err, func(before int64, n int) ([]savedsearch.Search, error) {
		return e.reader.ListSearchesOf(ctx, of, savedsearch.ID(before), n)
	}, func(s savedsearch.Search) int64 { return int64(s.ID) }, e.exportedSearch)
	err = e.exportConversations(ctx, of, &read, err)
	if err != nil {
		return nil, err
	}
	err = errors.Join(e.exportImport(ctx, of, &out), e.exportCourses(ctx, of, &out), e.exportCart(ctx, of, &out))
	return out, err
}

// exportImport adds the last file that the user has imported.
func (e *Export) exportImport(ctx context.Context, of user.ID, out *Exported) error {
	file, err := e.reader.FindImport(ctx, of)
	switch {
	case errors.Is(err, ErrImportNotFound):
		return nil
	case err == nil:
		out.LastFile = &ExportedFile{file.Accepted, file.Posted, file.CreatedAt}
	}
	return err
}

func (e *Export) exportCourses(ctx context.Context, of user.ID, out *Exported) error {
	chosen, err := e.reader.ListChosenCourses(ctx, of, 0, course.MaxAllChosen)
	out.Courses = []ExportedCourse{}
	for _, c := range chosen {
		out.Courses = append(out.Courses, ExportedCourse{c.ID.String(), c.University, c.Term, c.Code, c.Title, c.ChosenAt})
	}
	return err
}

func (e *Export) exportCart(ctx context.Context, of user.ID, out *Exported) error {
	items, err := e.reader.ListCartItems(ctx, of)
	for _, i := range items {
		out.Cart = append(out.Cart, ExportedCartItem{i.ID.String(), i.Name, i.AddedAt})
	}
	return err
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
