package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// AddToCart serves POST /api/user/addToCart.
func (e *Edge) AddToCart(ctx context.Context, r restgen.AddToCartRequestObject) (restgen.AddToCartResponseObject, error) {
	if err := e.Carts.Add(ctx, by(ctx), idOf[book.ID](r.Body.BookId)); err != nil {
		return nil, err
	}
	return restgen.AddToCart200JSONResponse(empty(ctx, e)), nil
}

// RemoveFromCart serves POST /api/user/removeFromCart.
func (e *Edge) RemoveFromCart(ctx context.Context, r restgen.RemoveFromCartRequestObject) (restgen.RemoveFromCartResponseObject, error) {
	if err := e.Carts.Remove(ctx, by(ctx), idOf[book.ID](r.Body.BookId)); err != nil {
		return nil, err
	}
	return restgen.RemoveFromCart200JSONResponse(empty(ctx, e)), nil
}

// ClearCart serves POST /api/user/clearCart.
func (e *Edge) ClearCart(ctx context.Context, _ restgen.ClearCartRequestObject) (restgen.ClearCartResponseObject, error) {
	if err := e.Carts.Clear(ctx, by(ctx)); err != nil {
		return nil, err
	}
	return restgen.ClearCart200JSONResponse(empty(ctx, e)), nil
}

// GetCartItems serves GET /api/user/getCartItems.
func (e *Edge) GetCartItems(ctx context.Context, r restgen.GetCartItemsRequestObject) (restgen.GetCartItemsResponseObject, error) {
	items, next, err := e.Carts.List(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetCartItems200JSONResponse{
		Body:    reply(ctx, e, each(items, cartItemOf)),
		Headers: restgen.GetCartItems200ResponseHeaders{Link: linkTo(ctx, next)},
	}, nil
}

// CheckoutCart serves POST /api/books/checkoutCart.
func (e *Edge) CheckoutCart(ctx context.Context, r restgen.CheckoutCartRequestObject) (restgen.CheckoutCartResponseObject, error) {
	basket, strange, err := basketOf(r)
	if err != nil {
		return nil, err
	}
	receipt, err := e.Checkout.Do(ctx, by(ctx), basket)
	var lost *market.UnavailableError
	if errors.As(err, &lost) {
		err = &unavailable{unavailableIDs(lost.Books, strange)}
	}
	noteReplay(ctx, receipt.Replayed)
	if err != nil {
		return nil, err
	}
	return restgen.CheckoutCart201JSONResponse{Body: reply(ctx, e, restgen.Purchase{
		Orders: each(receipt.Orders, orderOf), Unavailable: unavailableIDs(receipt.Unavailable, strange),
		Total: wire.Money(receipt.Total),
	})}, nil
}

// unavailable is the refusal of a checkout, with the ids of the books as they
// were sent.
type unavailable struct{ ids []string }

func (u *unavailable) Error() string { return book.ErrNotAvailable.Error() }
func (u *unavailable) Unwrap() error { return book.ErrNotAvailable }

// basketOf hashes what the body means, so that spaces and the order of its
// fields do not count. A text that is no id goes as the book 0, which there is
// not; strange are those texts.
func basketOf(r restgen.CheckoutCartRequestObject) (b market.Basket, strange []string, err error) {
	meaning, err := json.Marshal(r.Body)
	if err != nil || r.Body.BookIds == nil {
		return basket(r, meaning, nil), nil, err
	}
	ids := []book.ID{}
	for _, text := range *r.Body.BookIds {
		n := idOf[book.ID](text)
		if n == 0 {
			strange = append(strange, text)
		}
		ids = append(ids, n)
	}
	return basket(r, meaning, ids), strange, nil
}

func basket(r restgen.CheckoutCartRequestObject, meaning []byte, ids []book.ID) market.Basket {
	return market.Basket{
		Books: ids, AllowPartial: valueOr(r.Body.AllowPartial, false),
		Key: market.IdempotencyKey{Value: valueOr(r.Params.IdempotencyKey, ""), BodyHash: sha256.Sum256(meaning)},
	}
}

// unavailableIDs names the books that were lost, strangers as they were sent.
func unavailableIDs(lost []book.ID, strange []string) []string {
	known := slices.DeleteFunc(slices.Clone(lost), func(id book.ID) bool { return id == 0 })
	slices.Sort(strange)
	return append(texts(known), slices.Compact(strange)...)
}

// GetPurchasedBooks serves GET /api/user/getPurchasedBooks.
func (e *Edge) GetPurchasedBooks(ctx context.Context, r restgen.GetPurchasedBooksRequestObject) (restgen.GetPurchasedBooksResponseObject, error) {
	views, next, err := e.Orders.ListPurchased(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetPurchasedBooks200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}

// GetSoldBooks serves GET /api/user/getSoldBooks.
func (e *Edge) GetSoldBooks(ctx context.Context, r restgen.GetSoldBooksRequestObject) (restgen.GetSoldBooksResponseObject, error) {
	views, next, err := e.Orders.ListSold(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetSoldBooks200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}
