package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// RequestBook serves POST /api/books/requestBook.
func (e *Edge) RequestBook(ctx context.Context, r restgen.RequestBookRequestObject) (restgen.RequestBookResponseObject, error) {
	b := r.Body
	once, err := onceOf("requestBook", r.Params.IdempotencyKey, b)
	if err != nil {
		return nil, err
	}
	asked, replayed, err := e.Requests.AddWithKey(ctx, by(ctx), once, wantOf(b))
	if err != nil {
		return nil, err
	}
	noteReplay(ctx, replayed)
	return restgen.RequestBook201JSONResponse{Body: reply(ctx, e, restgen.RequestMade{
		Request: requestOf(asked.Request), Matches: each(asked.Matches, matchOf),
	})}, nil
}

func wantOf(b *restgen.RequestBookBody) book.RequestDraft {
	return book.RequestDraft{
		Name: b.Name, Course: b.Course, ISBN: valueOr(b.ISBN, ""),
		Edition: b.Edition, MaxPrice: (*money.Cents)(b.MaxPrice),
	}
}

// GetUserMatches serves GET /api/books/getUserMatches.
func (e *Edge) GetUserMatches(ctx context.Context, r restgen.GetUserMatchesRequestObject) (restgen.GetUserMatchesResponseObject, error) {
	matches, next, err := e.Requests.ListMatches(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetUserMatches200JSONResponse{
		Body:    reply(ctx, e, each(matches, matchOf)),
		Headers: restgen.GetUserMatches200ResponseHeaders{Link: linkTo(ctx, next)},
	}, nil
}

// GetRequests serves GET /api/user/getRequests.
func (e *Edge) GetRequests(ctx context.Context, r restgen.GetRequestsRequestObject) (restgen.GetRequestsResponseObject, error) {
	requests, next, err := e.Requests.ListMine(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetRequests200JSONResponse{
		Body:    reply(ctx, e, each(requests, requestOf)),
		Headers: restgen.GetRequests200ResponseHeaders{Link: linkTo(ctx, next)},
	}, nil
}

// DeleteRequest serves POST /api/user/deleteRequest.
func (e *Edge) DeleteRequest(ctx context.Context, r restgen.DeleteRequestRequestObject) (restgen.DeleteRequestResponseObject, error) {
	if err := e.Requests.Delete(ctx, by(ctx), idOf[book.RequestID](r.Body.RequestId)); err != nil {
		return nil, err
	}
	return restgen.DeleteRequest200JSONResponse(empty(ctx, e)), nil
}
