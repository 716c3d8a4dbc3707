package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// TraderExportReader reads what ExportOfTraders exports.
type TraderExportReader interface {
	ListOrdersOf(ctx context.Context, of user.ID, side order.Side, s order.Status, before order.ID, n int) ([]OrderView, error)
	ListRatingsBy(ctx context.Context, by user.ID, before order.ID, n int) ([]rating.Rating, error)
	MeetingReader
	ListCartItems(ctx context.Context, owner user.ID) ([]CartItem, error)
}

// ExportOfTraders exports what people have bought and sold, and their carts.
type ExportOfTraders struct{ reader TraderExportReader }

// NewExportOfTraders returns the exporter.
func NewExportOfTraders(r TraderExportReader) ExportOfTraders { return ExportOfTraders{r} }

// Export implements Exporter.
func (x ExportOfTraders) Export(ctx context.Context, of user.ID, out *Exporting) (err error) {
	orders := func(side order.Side) func(int64, int) ([]OrderView, error) {
		return func(before int64, n int) ([]OrderView, error) {
			return x.reader.ListOrdersOf(ctx, of, side, 0, order.ID(before), n)
		}
	}
	orderID := func(v OrderView) int64 { return int64(v.ID) }
	exported := func(v OrderView) ExportedOrder { return exportedOrder(out, v) }
	out.Purchases, err = ExportList(out, "purchases", nil, orders(order.BuyerSide), orderID, exported)
	out.Sales, err = ExportList(out, "sales", err, orders(order.SellerSide), orderID, exported)
	out.Ratings, err = ExportList(out, "ratings", err, func(before int64, n int) ([]rating.Rating, error) {
		return x.reader.ListRatingsBy(ctx, of, order.ID(before), n)
	}, func(r rating.Rating) int64 { return int64(r.Order) }, exportedRating)
	out.Meetings, err = ExportList(out, "meetings", err, func(before int64, n int) ([]meeting.Proposal, error) {
		return x.reader.ListMeetingsBy(ctx, of, meeting.ID(before), n)
	}, func(p meeting.Proposal) int64 { return int64(p.ID) }, exportedMeeting)
	if err != nil {
		return err
	}
	items, err := x.reader.ListCartItems(ctx, of)
	for _, i := range items {
		out.Cart = append(out.Cart, ExportedCartItem{i.ID.String(), i.Name, i.AddedAt})
	}
	return err
}

func exportedOrder(e *Exporting, v OrderView) ExportedOrder {
	return ExportedOrder{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.Amount(v.Price), Fee: e.Amount(v.Fee), Status: int(v.Status),
		Reason: v.Reason, CreatedAt: v.CreatedAt, VerifiedAt: OptionalTime(v.VerifiedAt), DeliveredAt: OptionalTime(v.DeliveredAt),
		CancelledAt: OptionalTime(v.CancelledAt),
		Settlement:  v.Settlement.String(), Handover: v.Handover.String(), HandedOverAt: OptionalTime(v.HandedOverAt),
	}
}

func exportedRating(r rating.Rating) ExportedRating {
	return ExportedRating{r.Order.String(), r.AsDescribed, r.Text, r.CreatedAt}
}

func exportedMeeting(p meeting.Proposal) ExportedMeeting {
	return ExportedMeeting{p.Order.String(), p.University, p.Name, p.At, p.State.String(), p.CreatedAt, OptionalTime(p.AcceptedAt)}
}
