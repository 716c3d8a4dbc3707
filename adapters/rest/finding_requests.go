package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/book"
)

var requestOperations = feature{rules: rules{"requestBook": rule(checkRequest)}}

// RequestBook serves POST /api/books/requestBook.
func (h *Handler) RequestBook(ctx context.Context, r restgen.RequestBookRequestObject) (restgen.RequestBookResponseObject, error) {
	b := r.Body
	key, err := idempotencyKeyOf("requestBook", r.Params.IdempotencyKey, b)
	if err != nil {
		return nil, err
	}
	asked, replayed, err := h.Requests.AddWithKey(ctx, callerOf(ctx), key, h.wantOf(b))
	if err != nil {
		return nil, err
	}
	setReplayedHeader(ctx, replayed)
	return restgen.RequestBook201JSONResponse{Body: respond(ctx, h, restgen.RequestMade{
		Request: h.requestOf(asked.Request), Matches: convertAll(asked.Matches, h.matchOf),
	})}, nil
}

func (h *Handler) wantOf(b *restgen.RequestBookBody) book.RequestDraft {
	return book.RequestDraft{
		Name: b.Name, Course: b.Course, ISBN: valueOr(b.ISBN, ""), Authors: valueOr(b.Authors, ""),
		Edition: b.Edition, MaxPrice: h.optionalAmountOf(b.MaxPrice),
	}
}

// GetUserMatches serves GET /api/books/getUserMatches.
func (h *Handler) GetUserMatches(ctx context.Context, r restgen.GetUserMatchesRequestObject) (restgen.GetUserMatchesResponseObject, error) {
	matches, next, err := h.Requests.ListMatches(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetUserMatches200JSONResponse](ctx, h, matches, next, err, h.matchOf)
}

// GetRequests serves GET /api/user/getRequests.
func (h *Handler) GetRequests(ctx context.Context, r restgen.GetRequestsRequestObject) (restgen.GetRequestsResponseObject, error) {
	requests, next, err := h.Requests.ListMine(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetRequests200JSONResponse](ctx, h, requests, next, err, h.requestOf)
}

// DeleteRequest serves POST /api/user/deleteRequest.
func (h *Handler) DeleteRequest(ctx context.Context, r restgen.DeleteRequestRequestObject) (restgen.DeleteRequestResponseObject, error) {
	err := h.Requests.Delete(ctx, callerOf(ctx), idOf[book.RequestID](r.Body.RequestId))
	return replyEmpty[restgen.DeleteRequest200JSONResponse](ctx, h, err)
}

func checkRequest(h *Handler, b *restgen.RequestBookBody) []error {
	_, err := h.wantOf(b).Check(h.cfg.Currency)
	return []error{err}
}
