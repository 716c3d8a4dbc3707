package rest

import (
	"context"
	"net/url"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
)

var priceOperations = feature{rules: rules{"priceHint": rule(checkPriceQuery)}}

// PriceHint serves GET /api/books/priceHint.
func (h *Handler) PriceHint(ctx context.Context, r restgen.PriceHintRequestObject) (restgen.PriceHintResponseObject, error) {
	hint, err := h.Prices.Hint(ctx, unknownCaller(ctx), priceQueryOf(r.Params))
	if err != nil {
		return nil, err
	}
	data := restgen.PriceHint{Count: hint.Count, Basis: string(hint.Basis)}
	if hint.Known() {
		data.Low, data.Median, data.High = new(h.money(hint.Low)), new(h.money(hint.Median)), new(h.money(hint.High))
	}
	return restgen.PriceHint200JSONResponse(respond(ctx, h, data)), nil
}

func priceQueryOf(p restgen.PriceHintParams) selling.PriceQuery {
	return selling.PriceQuery{ISBN: valueOr(p.ISBN, ""), Course: valueOr(p.Course, ""), Name: valueOr(p.Name, "")}
}

// Suggest serves GET /api/books/suggest: what a text may be the beginning of, or what is known of an ISBN.
func (h *Handler) Suggest(ctx context.Context, r restgen.SuggestRequestObject) (restgen.SuggestResponseObject, error) {
	typed := valueOr(r.Params.Q, "")
	if typed != "" || r.Params.ISBN == nil && hasQuery(ctx, "q") {
		found, err := h.Catalogue.Suggest(ctx, callerOf(ctx), typed)
		if err != nil {
			return nil, err
		}
		return restgen.Suggest200JSONResponse(respond[any](ctx, h, convertAll(found, searchSuggestionOf))), nil
	}
	s, known, err := h.ISBNLookup.Find(ctx, callerOf(ctx), valueOr(r.Params.ISBN, ""))
	if err != nil {
		return nil, err
	}
	var data any
	if known {
		data = restgen.Suggestion{
			Name: s.Name, Authors: s.Authors, Edition: orNull(s.Edition), Course: orNull(s.Course),
			Year: orNull(s.Year), // nil leaves it out
		}
	}
	return restgen.Suggest200JSONResponse(respond(ctx, h, data)), nil
}

// hasQuery reports whether a query parameter is given, though it may be empty.
func hasQuery(ctx context.Context, name string) bool {
	u, err := url.ParseRequestURI(ginOf(ctx).Request.RequestURI)
	return err == nil && u.Query().Has(name)
}

func searchSuggestionOf(s finding.SearchSuggestion) restgen.SearchSuggestion {
	return restgen.SearchSuggestion{Kind: string(s.Kind), Text: s.Text, Count: s.Count}
}

// orNull returns nil, which is null in JSON, for a zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func checkPriceQuery(_ *Handler, p *restgen.PriceHintParams) []error {
	return []error{priceQueryOf(*p).Check()}
}
