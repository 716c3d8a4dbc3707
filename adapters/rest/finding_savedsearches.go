package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/savedsearch"
)

// SaveSearch serves POST /api/user/saveSearch.
func (h *Handler) SaveSearch(ctx context.Context, r restgen.SaveSearchRequestObject) (restgen.SaveSearchResponseObject, error) {
	b := r.Body
	key, err := idempotencyKeyOf("saveSearch", r.Params.IdempotencyKey, b)
	if err != nil {
		return nil, err
	}
	s, replayed, err := h.SavedSearches.SaveWithKey(ctx, callerOf(ctx), key, savedsearch.Draft{
		Query: valueOr(b.Query, ""), University: valueOr(b.University, ""),
		Course: valueOr(b.Course, ""), Condition: valueOr(b.Condition, ""),
		MinPrice: h.optionalAmountOf(b.MinPrice), MaxPrice: h.optionalAmountOf(b.MaxPrice),
	}, b.Mail)
	if err != nil {
		return nil, err
	}
	setReplayedHeader(ctx, replayed)
	return restgen.SaveSearch201JSONResponse{Body: respond(ctx, h, h.searchOf(s))}, nil
}

// GetSavedSearches serves GET /api/user/getSavedSearches.
func (h *Handler) GetSavedSearches(
	ctx context.Context, r restgen.GetSavedSearchesRequestObject,
) (restgen.GetSavedSearchesResponseObject, error) {
	all, next, err := h.SavedSearches.List(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetSavedSearches200JSONResponse](ctx, h, all, next, err, h.searchOf)
}

// DeleteSavedSearch serves POST /api/user/deleteSavedSearch.
func (h *Handler) DeleteSavedSearch(
	ctx context.Context, r restgen.DeleteSavedSearchRequestObject,
) (restgen.DeleteSavedSearchResponseObject, error) {
	err := h.SavedSearches.Delete(ctx, callerOf(ctx), idOf[savedsearch.ID](r.Body.SearchId))
	return replyEmpty[restgen.DeleteSavedSearch200JSONResponse](ctx, h, err)
}

// SetSearchMail serves POST /api/user/setSearchMail.
func (h *Handler) SetSearchMail(ctx context.Context, r restgen.SetSearchMailRequestObject) (restgen.SetSearchMailResponseObject, error) {
	err := h.SavedSearches.SetMail(ctx, callerOf(ctx), idOf[savedsearch.ID](r.Body.SearchId), r.Body.Mail)
	return replyEmpty[restgen.SetSearchMail200JSONResponse](ctx, h, err)
}

// RequestSavedSearch serves POST /api/user/requestSavedSearch.
func (h *Handler) RequestSavedSearch(
	ctx context.Context, r restgen.RequestSavedSearchRequestObject,
) (restgen.RequestSavedSearchResponseObject, error) {
	key, err := idempotencyKeyOf("requestSavedSearch", r.Params.IdempotencyKey, r.Body)
	if err != nil {
		return nil, err
	}
	asked, replayed, err := h.SavedSearches.Request(ctx, callerOf(ctx), key, idOf[savedsearch.ID](r.Body.SearchId))
	if err != nil {
		return nil, err
	}
	setReplayedHeader(ctx, replayed)
	return restgen.RequestSavedSearch201JSONResponse{Body: respond(ctx, h, restgen.RequestMade{
		Request: h.requestOf(asked.Request), Matches: convertAll(asked.Matches, h.matchOf),
	})}, nil
}

func (h *Handler) searchOf(s savedsearch.Search) restgen.SavedSearch {
	price := func(a money.Amount) *wire.Money {
		if a == 0 {
			return nil
		}
		m := h.money(a)
		return &m
	}
	return restgen.SavedSearch{
		Id: s.ID.String(), Query: nilIfEmpty(s.Query), University: nilIfEmpty(s.University),
		Course: nilIfEmpty(s.Course), Condition: nilIfEmpty(s.Condition.String()),
		MinPrice: price(s.MinPrice), MaxPrice: price(s.MaxPrice), Mail: s.Mail, CreatedAt: s.CreatedAt.UTC(),
	}
}
