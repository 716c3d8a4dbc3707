package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// PostBook serves POST /api/books/postBook.
func (e *Edge) PostBook(ctx context.Context, r restgen.PostBookRequestObject) (restgen.PostBookResponseObject, error) {
	b := r.Body
	once, err := onceOf("postBook", r.Params.IdempotencyKey, b)
	if err != nil {
		return nil, err
	}
	v, replayed, err := e.Listings.PostWithKey(ctx, by(ctx), once, draftOf(b))
	if err != nil {
		return nil, err
	}
	noteReplay(ctx, replayed)
	return restgen.PostBook201JSONResponse{Body: reply(ctx, e, bookOf(v))}, nil
}

func draftOf(b *restgen.PostBookBody) book.Draft {
	return book.Draft{
		Name: b.Name, Course: b.Course, Edition: b.Edition, Price: money.Cents(b.Price), Condition: b.Condition,
		Date: b.Date.Time, Comments: valueOr(b.Comments, ""), ISBN: valueOr(b.ISBN, ""),
	}
}

// UpdateBook serves POST /api/books/updateBook.
func (e *Edge) UpdateBook(ctx context.Context, r restgen.UpdateBookRequestObject) (restgen.UpdateBookResponseObject, error) {
	v, err := e.Listings.Update(ctx, by(ctx), idOf[book.ID](r.Body.BookId), patchOf(r.Body))
	if err != nil {
		return nil, err
	}
	return restgen.UpdateBook200JSONResponse(reply(ctx, e, bookOf(v))), nil
}

func patchOf(b *restgen.UpdateBookBody) book.Patch {
	p := book.Patch{
		Name: b.Name, Course: b.Course, Edition: b.Edition, Price: (*money.Cents)(b.Price), Condition: b.Condition,
		Comments: cleared(b.Comments), ISBN: cleared(b.ISBN),
	}
	if b.Date != nil {
		p.Date = &b.Date.Time
	}
	return p
}

// cleared turns null into the empty text by which the domain knows it, and what
// was left out into nil.
func cleared(o wire.Optional[string]) *string {
	if !o.Given {
		return nil
	}
	s := valueOr(o.Value, "")
	return &s
}

// DeleteBook serves POST /api/books/deleteBook.
func (e *Edge) DeleteBook(ctx context.Context, r restgen.DeleteBookRequestObject) (restgen.DeleteBookResponseObject, error) {
	v, err := e.Listings.Unlist(ctx, by(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.DeleteBook200JSONResponse(reply(ctx, e, bookOf(v))), nil
}

// ReactivateBook serves POST /api/books/reactivateBook.
func (e *Edge) ReactivateBook(ctx context.Context, r restgen.ReactivateBookRequestObject) (restgen.ReactivateBookResponseObject, error) {
	v, err := e.Listings.Relist(ctx, by(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.ReactivateBook200JSONResponse(reply(ctx, e, bookOf(v))), nil
}

// GetUsersPosts serves GET /api/books/getUsersPosts.
func (e *Edge) GetUsersPosts(ctx context.Context, r restgen.GetUsersPostsRequestObject) (restgen.GetUsersPostsResponseObject, error) {
	views, next, err := e.Listings.ListMine(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetUsersPosts200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}
