package rest

import (
	"context"
	"net/url"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// GetAllBooks serves GET /api/books/getAllBooks.
func (h *Handler) GetAllBooks(ctx context.Context, r restgen.GetAllBooksRequestObject) (restgen.GetAllBooksResponseObject, error) {
	p := r.Params
	views, next, err := h.Catalogue.List(ctx, callerOf(ctx),
		h.filterOf(p.University, p.Course, p.Condition, p.MinPrice, p.MaxPrice, p.Sort), pageOf(p.Limit, p.Cursor))
	if err != nil {
		return nil, err
	}
	return newCacheableList(ctx, h, views, next)
}

// GetBooksNoToken serves GET /api/books/getBooksNoToken/:limit/:skip.
func (h *Handler) GetBooksNoToken(
	ctx context.Context, r restgen.GetBooksNoTokenRequestObject,
) (restgen.GetBooksNoTokenResponseObject, error) {
	views, err := h.Catalogue.ListByOffset(ctx, unknownCaller(ctx), r.Limit, r.Skip)
	if err != nil {
		return nil, err
	}
	return newCacheableList(ctx, h, views, "")
}

// SearchPublic serves GET /api/books/search/public/:query.
func (h *Handler) SearchPublic(ctx context.Context, r restgen.SearchPublicRequestObject) (restgen.SearchPublicResponseObject, error) {
	p := r.Params
	return h.find(ctx, unknownCaller(ctx), r.Query,
		h.filterOf(p.University, p.Course, p.Condition, p.MinPrice, p.MaxPrice, p.Sort), pageOf(p.Limit, p.Cursor))
}

// Search serves GET /api/books/search/:query.
func (h *Handler) Search(ctx context.Context, r restgen.SearchRequestObject) (restgen.SearchResponseObject, error) {
	p := r.Params
	return h.find(ctx, callerOf(ctx), r.Query,
		h.filterOf(p.University, p.Course, p.Condition, p.MinPrice, p.MaxPrice, p.Sort), pageOf(p.Limit, p.Cursor))
}

func (h *Handler) find(ctx context.Context, by user.Caller, query string, f finding.Filter, p market.Page) (cacheableResponse, error) {
	found, err := h.Catalogue.Find(ctx, by, query, f, p)
	if err != nil {
		return cacheableResponse{}, err
	}
	list, err := newCacheableList(ctx, h, found.Views, found.Next)
	list.instead = instead(found)
	return list, err
}

// instead is the header that says what a search looked for instead; nil: nothing.
func instead(f finding.Found) *string {
	if f.Instead == "" {
		return nil
	}
	header := url.PathEscape(f.Instead)
	return &header
}

// GetBook serves GET /api/books/getBook/:id.
func (h *Handler) GetBook(ctx context.Context, r restgen.GetBookRequestObject) (restgen.GetBookResponseObject, error) {
	v, err := h.Catalogue.Get(ctx, callerOf(ctx), idOf[book.ID](r.Id))
	if err != nil {
		return nil, err
	}
	return newCacheableResponse(ctx, h, nil, market.BookKeys(v.Book), 1, func(b []byte) ([]byte, error) { return h.appendBook(b, &v) })
}

// books returns a page of books with its Link header.
func (h *Handler) books(ctx context.Context, views []market.BookView, next market.Cursor) restgen.BooksJSONResponse {
	return restgen.BooksJSONResponse{
		Body:    respond(ctx, h, convertAll(views, h.bookOf)),
		Headers: restgen.BooksResponseHeaders{Link: linkTo(ctx, next)},
	}
}

func (h *Handler) filterOf(university, course, condition *string, low, high *wire.Money, sort *string) finding.Filter {
	return finding.Filter{
		University: valueOr(university, ""), Course: valueOr(course, ""), Condition: valueOr(condition, ""),
		MinPrice: h.optionalAmountOf(low), MaxPrice: h.optionalAmountOf(high), Sort: finding.Sort(valueOr(sort, "")),
	}
}
