package buying

import (
	"context"
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports what people have bought and sold, and their carts.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) { export(ctx, r, of, out) }
}

func export(ctx context.Context, r Reader, of user.ID, out *market.Exporting) {
	orders := func(side order.Side) func(int64, int) ([]market.OrderView, error) {
		return func(before int64, n int) ([]market.OrderView, error) {
			return r.ListOrdersOf(ctx, of, side, 0, order.ID(before), n)
		}
	}
	orderID := func(v market.OrderView) int64 { return int64(v.ID) }
	exported := func(v market.OrderView) ExportedOrder { return exportedOrder(out, v) }
	market.ExportList(out, "purchases", orders(order.BuyerSide), orderID, exported)
	market.ExportList(out, "sales", orders(order.SellerSide), orderID, exported)
	market.ExportList(out, "ratings", func(before int64, n int) ([]rating.Rating, error) {
		return r.ListRatingsBy(ctx, of, order.ID(before), n)
	}, func(r rating.Rating) int64 { return int64(r.Order) }, exportedRating)
	market.ExportList(out, "meetings", func(before int64, n int) ([]meeting.Proposal, error) {
		return r.ListMeetingsBy(ctx, of, meeting.ID(before), n)
	}, func(p meeting.Proposal) int64 { return int64(p.ID) }, exportedMeeting)
	offers := func(side order.Side) func(int64, int) ([]OfferView, error) {
		return func(before int64, n int) ([]OfferView, error) {
			return r.ListOffers(ctx, OfferSelection{Of: of, Side: side}, offer.ID(before), n)
		}
	}
	offerID := func(v OfferView) int64 { return int64(v.ID) }
	market.ExportList(
		out, "offers", offers(order.BuyerSide), offerID, func(v OfferView) ExportedOffer { return exportedOffer(out, v, v.Text) },
	)
	market.ExportList(
		out, "offersReceived", offers(order.SellerSide), offerID, func(v OfferView) ExportedOffer { return exportedOffer(out, v, "") },
	)
	items, err := r.ListCartItems(ctx, of)
	cart := []ExportedCartItem{}
	for _, i := range items {
		cart = append(cart, ExportedCartItem{BookID: i.ID.String(), Name: i.Name, AddedAt: i.AddedAt})
	}
	out.Add("cart", cart, err)
}

func exportedOrder(e *market.Exporting, v market.OrderView) ExportedOrder {
	return ExportedOrder{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.Amount(v.Price), Fee: e.Amount(v.Fee), Status: int(v.Status),
		Reason: v.Reason, CreatedAt: v.CreatedAt, VerifiedAt: market.OptionalTime(v.VerifiedAt),
		DeliveredAt: market.OptionalTime(v.DeliveredAt),
		CancelledAt: market.OptionalTime(v.CancelledAt),
		Settlement:  v.Settlement.String(), Handover: v.Handover.String(), HandedOverAt: market.OptionalTime(v.HandedOverAt),
	}
}

// exportedOffer is an offer with the line of the buyer, which is the seller's to read and not to take away.
func exportedOffer(e *market.Exporting, v OfferView, text string) ExportedOffer {
	return ExportedOffer{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.Amount(v.Price), Text: text, State: v.State.String(),
		CreatedAt: v.CreatedAt, AnsweredAt: market.OptionalTime(v.AnsweredAt), ValidUntil: market.OptionalTime(v.ValidUntil),
	}
}

func exportedRating(r rating.Rating) ExportedRating {
	return ExportedRating{OrderID: r.Order.String(), AsDescribed: r.AsDescribed, Text: r.Text, CreatedAt: r.CreatedAt}
}

func exportedMeeting(p meeting.Proposal) ExportedMeeting {
	return ExportedMeeting{
		OrderID: p.Order.String(), University: p.University, Place: p.Name, At: p.At, State: p.State.String(), CreatedAt: p.CreatedAt,
		AcceptedAt: market.OptionalTime(p.AcceptedAt),
	}
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

	Settlement   string     `json:"settlement"` // operator or direct
	Handover     string     `json:"handover"`   // desk or meeting; empty: none yet
	HandedOverAt *time.Time `json:"handedOverAt"`
}

// ExportedCartItem is a book in the user's cart.
type ExportedCartItem struct {
	BookID  string    `json:"bookId"`
	Name    string    `json:"name"`
	AddedAt time.Time `json:"addedAt"`
}

// ExportedOffer is an offer that the user has made or got.
type ExportedOffer struct {
	ID         string      `json:"id"`
	BookID     string      `json:"bookId"`
	Name       string      `json:"name"`
	Price      json.Number `json:"price"`
	Text       string      `json:"text"` // empty if another has written it
	State      string      `json:"state"`
	CreatedAt  time.Time   `json:"createdAt"`
	AnsweredAt *time.Time  `json:"answeredAt"`
	ValidUntil *time.Time  `json:"validUntil"`
}

// ExportedMeeting is a place and a time that the user has proposed for an order.
type ExportedMeeting struct {
	OrderID    string     `json:"orderId"`
	University string     `json:"university"`
	Place      string     `json:"place"`
	At         time.Time  `json:"at"`
	State      string     `json:"state"` // proposed, accepted, superseded or ended
	CreatedAt  time.Time  `json:"createdAt"`
	AcceptedAt *time.Time `json:"acceptedAt"`
}

// ExportedRating is what the user said about a sale.
type ExportedRating struct {
	OrderID     string    `json:"orderId"`
	AsDescribed bool      `json:"asDescribed"`
	Text        string    `json:"text"`
	CreatedAt   time.Time `json:"createdAt"`
}
