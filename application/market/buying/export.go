package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter exports what people have bought and sold, and their carts.
type Exporter struct{ reader Reader }

// NewExporter returns the exporter.
func NewExporter(r Reader) Exporter { return Exporter{r} }

// Export implements Exporter.
func (x Exporter) Export(ctx context.Context, of user.ID, out *market.Exporting) (err error) {
	orders := func(side order.Side) func(int64, int) ([]market.OrderView, error) {
		return func(before int64, n int) ([]market.OrderView, error) {
			return x.reader.ListOrdersOf(ctx, of, side, 0, order.ID(before), n)
		}
	}
	orderID := func(v market.OrderView) int64 { return int64(v.ID) }
	exported := func(v market.OrderView) market.ExportedOrder { return exportedOrder(out, v) }
	out.Purchases, err = market.ExportList(out, "purchases", nil, orders(order.BuyerSide), orderID, exported)
	out.Sales, err = market.ExportList(out, "sales", err, orders(order.SellerSide), orderID, exported)
	out.Ratings, err = market.ExportList(out, "ratings", err, func(before int64, n int) ([]rating.Rating, error) {
		return x.reader.ListRatingsBy(ctx, of, order.ID(before), n)
	}, func(r rating.Rating) int64 { return int64(r.Order) }, exportedRating)
	out.Meetings, err = market.ExportList(out, "meetings", err, func(before int64, n int) ([]meeting.Proposal, error) {
		return x.reader.ListMeetingsBy(ctx, of, meeting.ID(before), n)
	}, func(p meeting.Proposal) int64 { return int64(p.ID) }, exportedMeeting)
	offers := func(side order.Side) func(int64, int) ([]OfferView, error) {
		return func(before int64, n int) ([]OfferView, error) {
			return x.reader.ListOffers(ctx, OfferSelection{Of: of, Side: side}, offer.ID(before), n)
		}
	}
	offerID := func(v OfferView) int64 { return int64(v.ID) }
	out.Offers, err = market.ExportList(out, "offers", err, offers(order.BuyerSide), offerID, func(v OfferView) market.ExportedOffer { return exportedOffer(out, v, v.Text) })
	out.OffersReceived, err = market.ExportList(out, "offersReceived", err, offers(order.SellerSide), offerID, func(v OfferView) market.ExportedOffer { return exportedOffer(out, v, "") })
	if err != nil {
		return err
	}
	items, err := x.reader.ListCartItems(ctx, of)
	for _, i := range items {
		out.Cart = append(out.Cart, market.ExportedCartItem{BookID: i.ID.String(), Name: i.Name, AddedAt: i.AddedAt})
	}
	return err
}

func exportedOrder(e *market.Exporting, v market.OrderView) market.ExportedOrder {
	return market.ExportedOrder{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.Amount(v.Price), Fee: e.Amount(v.Fee), Status: int(v.Status),
		Reason: v.Reason, CreatedAt: v.CreatedAt, VerifiedAt: market.OptionalTime(v.VerifiedAt), DeliveredAt: market.OptionalTime(v.DeliveredAt),
		CancelledAt: market.OptionalTime(v.CancelledAt),
		Settlement:  v.Settlement.String(), Handover: v.Handover.String(), HandedOverAt: market.OptionalTime(v.HandedOverAt),
	}
}

// exportedOffer is an offer with the line of the buyer, which is the seller's to read and not to take away.
func exportedOffer(e *market.Exporting, v OfferView, text string) market.ExportedOffer {
	return market.ExportedOffer{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.Amount(v.Price), Text: text, State: v.State.String(),
		CreatedAt: v.CreatedAt, AnsweredAt: market.OptionalTime(v.AnsweredAt), ValidUntil: market.OptionalTime(v.ValidUntil),
	}
}

func exportedRating(r rating.Rating) market.ExportedRating {
	return market.ExportedRating{OrderID: r.Order.String(), AsDescribed: r.AsDescribed, Text: r.Text, CreatedAt: r.CreatedAt}
}

func exportedMeeting(p meeting.Proposal) market.ExportedMeeting {
	return market.ExportedMeeting{OrderID: p.Order.String(), University: p.University, Place: p.Name, At: p.At, State: p.State.String(), CreatedAt: p.CreatedAt, AcceptedAt: market.OptionalTime(p.AcceptedAt)}
}
