package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
)

// RateOrder serves POST /api/user/rateOrder.
func (h *Handler) RateOrder(ctx context.Context, r restgen.RateOrderRequestObject) (restgen.RateOrderResponseObject, error) {
	id := idOf[order.ID](r.Body.OrderId)
	if err := h.Trust.Rate(ctx, callerOf(ctx), id, r.Body.AsDescribed, valueOr(r.Body.Text, "")); err != nil {
		return nil, err
	}
	found, err := h.ratingsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return restgen.RateOrder200JSONResponse(respond(ctx, h, found)), nil
}

// GetRatings serves GET /api/user/getRatings/:orderId.
func (h *Handler) GetRatings(ctx context.Context, r restgen.GetRatingsRequestObject) (restgen.GetRatingsResponseObject, error) {
	found, err := h.ratingsOf(ctx, idOf[order.ID](r.OrderId))
	if err != nil {
		return nil, err
	}
	return restgen.GetRatings200JSONResponse(respond(ctx, h, found)), nil
}

// ratingsOf returns what the sides of an order that the caller may see say.
func (h *Handler) ratingsOf(ctx context.Context, id order.ID) (restgen.OrderRatings, error) {
	by := callerOf(ctx)
	o, err := h.Orders.Get(ctx, by, id)
	if err != nil {
		return restgen.OrderRatings{}, err
	}
	found, err := h.Trust.OfOrder(ctx, by, o.Order)
	return restgen.OrderRatings{Buyer: ratingOf(found.Buyer), Seller: ratingOf(found.Seller)}, err
}

func ratingOf(r *rating.Rating) *restgen.Rating {
	if r == nil {
		return nil
	}
	return &restgen.Rating{AsDescribed: r.AsDescribed, Text: r.Text, CreatedAt: r.CreatedAt.UTC()}
}

// GetSeller serves GET /api/books/getSeller/:bookId.
func (h *Handler) GetSeller(ctx context.Context, r restgen.GetSellerRequestObject) (restgen.GetSellerResponseObject, error) {
	b, err := h.Catalogue.Get(ctx, callerOf(ctx), idOf[book.ID](r.BookId))
	if err != nil {
		return nil, err
	}
	found, err := h.Trust.OfSeller(ctx, b.Seller)
	if err != nil {
		return nil, err
	}
	return restgen.GetSeller200JSONResponse(respond(ctx, h, recordOf(b, found))), nil
}

func recordOf(b market.BookView, found buying.Record) restgen.SellerRecord {
	out := restgen.SellerRecord{
		Id: b.Seller.String(), FirstName: found.FirstName, University: found.University, MemberSince: found.MemberSince.UTC(),
		Sales: found.Sales.N, Cancelled: found.Cancelled.N,
	}
	if c := found.Ratings; c.Shown() {
		out.Ratings = &restgen.RatingCount{AsDescribed: c.AsDescribed, People: c.People}
	}
	return out
}
