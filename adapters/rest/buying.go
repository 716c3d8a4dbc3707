package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/id"
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
func (e *Edge) GetCartItems(ctx context.Context, _ restgen.GetCartItemsRequestObject) (restgen.GetCartItemsResponseObject, error) {
	items, err := e.Carts.Items(ctx, by(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetCartItems200JSONResponse(reply(ctx, e, each(items, cartItemOf))), nil
}

// CheckoutCart serves POST /api/books/checkoutCart.
func (e *Edge) CheckoutCart(ctx context.Context, r restgen.CheckoutCartRequestObject) (restgen.CheckoutCartResponseObject, error) {
	basket, err := basketOf(r)
	if err != nil {
		return nil, err
	}
	receipt, err := e.Checkout.Do(ctx, by(ctx), basket)
	var lost *market.Unavailable
	if receipt.Replayed || errors.As(err, &lost) && lost.Replayed {
		ginOf(ctx).Header("Idempotent-Replayed", "true")
	}
	if err != nil {
		return nil, err
	}
	return restgen.CheckoutCart201JSONResponse{Body: reply(ctx, e, restgen.Purchase{
		Orders: each(receipt.Orders, orderOf), Unavailable: texts(receipt.Unavailable), Total: wire.Money(receipt.Total),
	})}, nil
}

// basketOf hashes what the body means, so that spaces and the order of its
// fields do not count. A text that is no id is no book's.
func basketOf(r restgen.CheckoutCartRequestObject) (market.Basket, error) {
	meaning, err := json.Marshal(r.Body)
	if err != nil {
		return market.Basket{}, err
	}
	b := market.Basket{
		AllowPartial: valueOr(r.Body.AllowPartial, false),
		Key:          valueOr(r.Params.IdempotencyKey, ""), BodyHash: sha256.Sum256(meaning),
	}
	if r.Body.BookIds == nil {
		return b, nil
	}
	b.Books = []book.ID{}
	for _, text := range *r.Body.BookIds {
		n, ok := id.Parse(text)
		if !ok {
			return market.Basket{}, book.ErrNotFound
		}
		b.Books = append(b.Books, book.ID(n))
	}
	return b, nil
}

// GetPurchasedBooks serves GET /api/user/getPurchasedBooks.
func (e *Edge) GetPurchasedBooks(ctx context.Context, r restgen.GetPurchasedBooksRequestObject) (restgen.GetPurchasedBooksResponseObject, error) {
	views, next, err := e.Orders.Purchased(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetPurchasedBooks200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}

// GetSoldBooks serves GET /api/user/getSoldBooks.
func (e *Edge) GetSoldBooks(ctx context.Context, r restgen.GetSoldBooksRequestObject) (restgen.GetSoldBooksResponseObject, error) {
	views, next, err := e.Orders.Sold(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetSoldBooks200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}
