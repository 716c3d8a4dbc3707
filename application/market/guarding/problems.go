package guarding

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Problems shows the two people of an order and its admins what was reported about it, and takes photos.
type Problems struct {
	deps     unit
	reader   Reader
	blobs    BlobStore
	pictures PictureConverter
}

// newProblems returns the use cases.
func newProblems(d unit, r Reader, b BlobStore, c PictureConverter) *Problems {
	return &Problems{d, r, b, c}
}

// ProblemView is a report about an order with its photos.
type ProblemView struct {
	ReportView
	Photos []report.Photo
}

// MaxProblems bounds the reports about one order that are shown.
const MaxProblems = 20

// List lists the newest reports about an order that the caller may see, in the order in which they were made.
func (p *Problems) List(ctx context.Context, by user.Caller, of order.ID) ([]ProblemView, error) {
	all, err := p.reader.ListReports(ctx, ReportSelection{On: orderTarget(of)}, market.Position{}, MaxProblems)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	var ids []report.ID
	for _, r := range all {
		if r.ShownTo(by) {
			ids = append(ids, r.ID)
		}
	}
	photos, err := p.reader.ListReportPhotos(ctx, ids...)
	if err != nil {
		return nil, err
	}
	var shown []ProblemView
	for _, r := range all {
		if r.ShownTo(by) {
			shown = append(shown, ProblemView{r, photos[r.ID]})
		}
	}
	return shown, nil
}

// ListReported lists those of the orders, which the caller has read, about which there is an open report.
func (p *Problems) ListReported(ctx context.Context, by user.Caller, ids ...order.ID) ([]order.ID, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	return p.reader.ListOrdersReported(ctx, ids...)
}

// findConversation returns the conversation that a report is about, or shows.
func (s *Reports) findConversation(ctx context.Context, on report.Target) (conversation.ID, error) {
	if on.Kind != report.Order {
		return conversation.ID(on.ID), nil
	}
	id, err := s.conversations.FindConversationOfOrder(ctx, order.ID(on.ID))
	if errors.Is(err, conversation.ErrNotFound) {
		err = nil // they have written nothing
	}
	return id, err
}

// seeOrder records the other side of an order of the caller, and its book.
func (t *tx) seeOrder(ctx context.Context, by user.Caller, r *report.Report) (order.Order, error) {
	found, err := t.FindOrders(ctx, []order.ID{order.ID(r.Target.ID)})
	if err != nil {
		return order.Order{}, err
	}
	if len(found) == 0 || !found[0].Involves(by.ID) {
		return order.Order{}, order.ErrNotFound
	}
	o := found[0]
	b, err := t.LockBook(ctx, o.Book)
	if err != nil {
		return o, err
	}
	b.Price = o.Price
	if r.Seen.Book, err = t.asSeen(ctx, b); err != nil {
		return o, err
	}
	r.Order, r.University = o.ID, o.University
	if r.About = o.Seller; by.ID == o.Seller {
		r.About = o.Buyer
	}
	return o, nil
}

// asSeen returns what there is to see of a book now.
func (t *tx) asSeen(ctx context.Context, b book.Book) (*report.SeenBook, error) {
	photos, err := t.ListPhotos(ctx, b.ID)
	seen := report.SawBook(b, t.Currency, photos[b.ID])
	return &seen, err
}

// notifyReported tells the other side of an order of a report about it.
func (t *tx) notifyReported(ctx context.Context, r report.Report, o order.Order) error {
	reporters, err := t.FindUsers(ctx, r.Reporter)
	if err != nil {
		return err
	}
	t.Announce(notification.AboutOrder(notification.ProblemReported, r.About, o, t.Now))
	t.Mail(message.ProblemReported, r.About, map[string]string{
		message.ParamBook: o.Name, message.ParamOrder: o.ID.String(), message.ParamPicture: o.Book.String(),
		message.ParamFrom: reporters[r.Reporter].Profile.FirstName,
	})
	return nil
}

// notifyClosed tells those about whom orders were reported, and who have not reported them, that an admin has decided.
// The reporters read that of their reports.
func (t *tx) notifyClosed(ctx context.Context, closed []report.Report) error {
	told := map[user.ID]bool{}
	for _, r := range closed {
		told[r.Reporter] = true
	}
	for _, r := range closed {
		if r.Target.Kind != report.Order || told[r.About] {
			continue
		}
		told[r.About] = true
		found, err := t.FindOrders(ctx, []order.ID{r.Order})
		if err != nil || len(found) == 0 {
			return err
		}
		t.Announce(notification.AboutOrder(notification.ProblemClosed, r.About, found[0], t.Now))
	}
	return nil
}
