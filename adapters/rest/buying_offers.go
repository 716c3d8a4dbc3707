package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/offer"
)

// MakeOffer serves POST /api/books/makeOffer.
func (h *Handler) MakeOffer(ctx context.Context, r restgen.MakeOfferRequestObject) (restgen.MakeOfferResponseObject, error) {
	v, err := h.Offers.Make(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId), h.amountOf(r.Body.Price), valueOr(r.Body.Text, ""))
	return reply[restgen.MakeOffer201JSONResponse](ctx, h, v, err, h.offerOf)
}

// AnswerOffer serves POST /api/books/answerOffer.
func (h *Handler) AnswerOffer(ctx context.Context, r restgen.AnswerOfferRequestObject) (restgen.AnswerOfferResponseObject, error) {
	answer := offer.Reply{Answer: offer.Answer(r.Body.Answer), Price: h.optionalAmountOf(r.Body.Price)}
	v, err := h.Offers.Answer(ctx, callerOf(ctx), idOf[offer.ID](r.Body.OfferId), answer)
	return reply[restgen.AnswerOffer200JSONResponse](ctx, h, v, err, h.offerOf)
}

// WithdrawOffer serves POST /api/books/withdrawOffer.
func (h *Handler) WithdrawOffer(ctx context.Context, r restgen.WithdrawOfferRequestObject) (restgen.WithdrawOfferResponseObject, error) {
	v, err := h.Offers.Withdraw(ctx, callerOf(ctx), idOf[offer.ID](r.Body.OfferId))
	return reply[restgen.WithdrawOffer200JSONResponse](ctx, h, v, err, h.offerOf)
}

// GetOffers serves GET /api/user/getOffers.
func (h *Handler) GetOffers(ctx context.Context, r restgen.GetOffersRequestObject) (restgen.GetOffersResponseObject, error) {
	var state *offer.State // nil: any
	if s, ok := offer.ParseState(valueOr(r.Params.State, "")); ok {
		state = &s
	}
	found, next, err := h.Offers.List(ctx, callerOf(ctx), sideOf(r.Params.Role), state, pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetOffers200JSONResponse](ctx, h, found, next, err, h.offerOf)
}

func (h *Handler) offerOf(v buying.OfferView) restgen.Offer {
	return restgen.Offer{
		Id: v.ID.String(), BookId: v.Book.String(), Name: v.Name, Price: h.money(v.Price),
		ListPrice: h.money(v.ListPrice), Currency: h.cfg.Currency.Code(),
		Text: v.Text, State: v.State.String(), Buyer: tradingPerson(v.From), Seller: tradingPerson(v.To),
		CreatedAt: v.CreatedAt.UTC(), AnsweredAt: nilIfZero(v.AnsweredAt), ValidUntil: nilIfZero(v.ValidUntil),
	}
}

func tradingPerson(p market.Person) restgen.Person {
	return restgen.Person{Id: p.ID.String(), FirstName: p.FirstName}
}
