package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
)

var checkoutOperations = feature{rules: rules{"checkoutCart": rule(checkBasket)}}

// AddToCart serves POST /api/user/addToCart.
func (h *Handler) AddToCart(ctx context.Context, r restgen.AddToCartRequestObject) (restgen.AddToCartResponseObject, error) {
	err := h.Carts.Add(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	return replyEmpty[restgen.AddToCart200JSONResponse](ctx, h, err)
}

// RemoveFromCart serves POST /api/user/removeFromCart.
func (h *Handler) RemoveFromCart(ctx context.Context, r restgen.RemoveFromCartRequestObject) (restgen.RemoveFromCartResponseObject, error) {
	err := h.Carts.Remove(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	return replyEmpty[restgen.RemoveFromCart200JSONResponse](ctx, h, err)
}

// ClearCart serves POST /api/user/clearCart.
func (h *Handler) ClearCart(ctx context.Context, _ restgen.ClearCartRequestObject) (restgen.ClearCartResponseObject, error) {
	err := h.Carts.Clear(ctx, callerOf(ctx))
	return replyEmpty[restgen.ClearCart200JSONResponse](ctx, h, err)
}

// GetCartItems serves GET /api/user/getCartItems.
func (h *Handler) GetCartItems(ctx context.Context, r restgen.GetCartItemsRequestObject) (restgen.GetCartItemsResponseObject, error) {
	items, next, err := h.Carts.List(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetCartItems200JSONResponse](ctx, h, items, next, err, h.cartItemOf)
}

// CheckoutCart serves POST /api/books/checkoutCart.
func (h *Handler) CheckoutCart(ctx context.Context, r restgen.CheckoutCartRequestObject) (restgen.CheckoutCartResponseObject, error) {
	basket, malformed, err := h.basketOf(r)
	if err != nil {
		return nil, err
	}
	receipt, err := h.Checkout.Do(ctx, callerOf(ctx), basket)
	var lost *buying.UnavailableError
	if errors.As(err, &lost) {
		err = &unavailableError{unavailableIDs(lost.Books, malformed)}
	}
	setReplayedHeader(ctx, receipt.Replayed)
	if err != nil {
		return nil, err
	}
	return restgen.CheckoutCart201JSONResponse{Body: respond(ctx, h, restgen.Purchase{
		Orders: convertAll(receipt.Orders, h.orderOf), Unavailable: unavailableIDs(receipt.Unavailable, malformed),
		Total: h.money(receipt.Total),
	})}, nil
}

// unavailableError lists the unavailable books of a checkout, with the ids as they
// were sent.
type unavailableError struct{ ids []string }

func (u *unavailableError) Error() string { return book.ErrNotAvailable.Error() }

func (u *unavailableError) Unwrap() error { return book.ErrNotAvailable }

// basketOf returns the basket with a hash of the meaning of the body, so that
// whitespace and the order of fields do not count. A malformed id stands for book 0,
// which does not exist, and is also returned in malformed.
func (h *Handler) basketOf(r restgen.CheckoutCartRequestObject) (b buying.Basket, malformed []string, err error) {
	canonical, err := json.Marshal(r.Body)
	if err != nil || r.Body.BookIds == nil {
		return h.basket(r, canonical, nil), nil, err
	}
	ids := []book.ID{}
	for _, text := range *r.Body.BookIds {
		n := idOf[book.ID](text)
		if n == 0 {
			malformed = append(malformed, text)
		}
		ids = append(ids, n)
	}
	return h.basket(r, canonical, ids), malformed, nil
}

func (h *Handler) basket(r restgen.CheckoutCartRequestObject, canonical []byte, ids []book.ID) buying.Basket {
	return buying.Basket{
		Books: ids, Total: h.optionalAmountOf(r.Body.Total), AllowPartial: valueOr(r.Body.AllowPartial, false),
		Key: market.IdempotencyKey{Value: valueOr(r.Params.IdempotencyKey, ""), BodyHash: sha256.Sum256(canonical)},
	}
}

// unavailableIDs returns the ids of unavailable books, malformed ones as they were
// sent.
func unavailableIDs(lost []book.ID, malformed []string) []string {
	known := slices.DeleteFunc(slices.Clone(lost), func(id book.ID) bool { return id == 0 })
	slices.Sort(malformed)
	return append(idStrings(known), slices.Compact(malformed)...)
}

// GetPurchasedBooks serves GET /api/user/getPurchasedBooks.
func (h *Handler) GetPurchasedBooks(
	ctx context.Context, r restgen.GetPurchasedBooksRequestObject,
) (restgen.GetPurchasedBooksResponseObject, error) {
	views, next, err := h.Orders.ListPurchased(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetPurchasedBooks200JSONResponse{BooksJSONResponse: h.books(ctx, views, next)}, nil
}

// GetSoldBooks serves GET /api/user/getSoldBooks.
func (h *Handler) GetSoldBooks(ctx context.Context, r restgen.GetSoldBooksRequestObject) (restgen.GetSoldBooksResponseObject, error) {
	views, next, err := h.Orders.ListSold(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetSoldBooks200JSONResponse{BooksJSONResponse: h.books(ctx, views, next)}, nil
}

func checkBasket(_ *Handler, b *restgen.CheckoutBody) []error {
	if b.BookIds == nil {
		return nil
	}
	return []error{buying.Basket{Books: idsOf[book.ID](*b.BookIds)}.Check()}
}
