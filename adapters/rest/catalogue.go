package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// GetAllBooks serves GET /api/books/getAllBooks.
func (e *Edge) GetAllBooks(ctx context.Context, r restgen.GetAllBooksRequestObject) (restgen.GetAllBooksResponseObject, error) {
	p := r.Params
	views, next, err := e.Catalogue.List(ctx, by(ctx),
		filterOf(p.University, p.Course, p.Condition, p.MinPrice, p.MaxPrice, p.Sort), pageOf(p.Limit, p.Cursor))
	if err != nil {
		return nil, err
	}
	return newPublicList(ctx, e, views, next)
}

// GetBooksNoToken serves GET /api/books/getBooksNoToken/:limit/:skip.
func (e *Edge) GetBooksNoToken(ctx context.Context, r restgen.GetBooksNoTokenRequestObject) (restgen.GetBooksNoTokenResponseObject, error) {
	views, err := e.Catalogue.ListByOffset(ctx, r.Limit, r.Skip)
	if err != nil {
		return nil, err
	}
	return newPublicList(ctx, e, views, "")
}

// SearchPublic serves GET /api/books/search/public/:query.
func (e *Edge) SearchPublic(ctx context.Context, r restgen.SearchPublicRequestObject) (restgen.SearchPublicResponseObject, error) {
	p := r.Params
	views, next, err := e.Catalogue.Search(ctx, user.Caller{}, r.Query,
		filterOf(p.University, p.Course, p.Condition, p.MinPrice, p.MaxPrice, p.Sort), pageOf(p.Limit, p.Cursor))
	if err != nil {
		return nil, err
	}
	return newPublicList(ctx, e, views, next)
}

// Search serves GET /api/books/search/:query.
func (e *Edge) Search(ctx context.Context, r restgen.SearchRequestObject) (restgen.SearchResponseObject, error) {
	p := r.Params
	views, next, err := e.Catalogue.Search(ctx, by(ctx), r.Query,
		filterOf(p.University, p.Course, p.Condition, p.MinPrice, p.MaxPrice, p.Sort), pageOf(p.Limit, p.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.Search200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}

// GetBook serves GET /api/books/getBook/:id.
func (e *Edge) GetBook(ctx context.Context, r restgen.GetBookRequestObject) (restgen.GetBookResponseObject, error) {
	v, err := e.Catalogue.Get(ctx, by(ctx), idOf[book.ID](r.Id))
	if err != nil {
		return nil, err
	}
	return newPublicRead(ctx, e, nil, func(b []byte) ([]byte, error) { return appendBook(b, &v) })
}

// books is a page of books.
func (e *Edge) books(ctx context.Context, views []market.BookView, next market.Cursor) restgen.BooksJSONResponse {
	return restgen.BooksJSONResponse{
		Body:    reply(ctx, e, each(views, bookOf)),
		Headers: restgen.BooksResponseHeaders{Link: linkTo(ctx, next)},
	}
}

func filterOf(university, course, condition *string, low, high *wire.Money, sort *string) market.Filter {
	return market.Filter{
		University: valueOr(university, ""), Course: valueOr(course, ""), Condition: valueOr(condition, ""),
		MinPrice: (*money.Cents)(low), MaxPrice: (*money.Cents)(high), Sort: market.Sort(valueOr(sort, "")),
	}
}
