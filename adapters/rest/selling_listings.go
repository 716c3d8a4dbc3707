package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/book"
)

// PostBook serves POST /api/books/postBook.
func (h *Handler) PostBook(ctx context.Context, r restgen.PostBookRequestObject) (restgen.PostBookResponseObject, error) {
	b := r.Body
	key, err := idempotencyKeyOf("postBook", r.Params.IdempotencyKey, b)
	if err != nil {
		return nil, err
	}
	v, replayed, err := h.Listings.PostWithKey(ctx, callerOf(ctx), key, h.draftOf(b))
	if err != nil {
		return nil, err
	}
	setReplayedHeader(ctx, replayed)
	return restgen.PostBook201JSONResponse{Body: respond(ctx, h, h.bookOf(v))}, nil
}

func (h *Handler) draftOf(b *restgen.PostBookBody) book.Draft {
	return book.Draft{
		Name: b.Name, Course: b.Course, Edition: b.Edition, Price: h.amountOf(b.Price), Condition: b.Condition,
		Date: b.Date.Time, Comments: valueOr(b.Comments, ""), ISBN: valueOr(b.ISBN, ""),
	}
}

// UpdateBook serves POST /api/books/updateBook.
func (h *Handler) UpdateBook(ctx context.Context, r restgen.UpdateBookRequestObject) (restgen.UpdateBookResponseObject, error) {
	v, err := h.Listings.Update(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId), h.patchOf(r.Body))
	if err != nil {
		return nil, err
	}
	return restgen.UpdateBook200JSONResponse(respond(ctx, h, h.bookOf(v))), nil
}

func (h *Handler) patchOf(b *restgen.UpdateBookBody) book.Patch {
	p := book.Patch{
		Name: b.Name, Course: b.Course, Edition: b.Edition, Price: h.optionalAmountOf(b.Price), Condition: b.Condition,
		Comments: cleared(b.Comments), ISBN: cleared(b.ISBN),
	}
	if b.Date != nil {
		p.Date = &b.Date.Time
	}
	return p
}

// cleared returns "" for null, which clears the field, and nil for an absent field.
func cleared(o wire.Optional[string]) *string {
	if !o.Given {
		return nil
	}
	s := valueOr(o.Value, "")
	return &s
}

// DeleteBook serves POST /api/books/deleteBook.
func (h *Handler) DeleteBook(ctx context.Context, r restgen.DeleteBookRequestObject) (restgen.DeleteBookResponseObject, error) {
	v, err := h.Listings.Unlist(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.DeleteBook200JSONResponse(respond(ctx, h, h.bookOf(v))), nil
}

// ReactivateBook serves POST /api/books/reactivateBook.
func (h *Handler) ReactivateBook(ctx context.Context, r restgen.ReactivateBookRequestObject) (restgen.ReactivateBookResponseObject, error) {
	v, err := h.Listings.Relist(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.ReactivateBook200JSONResponse(respond(ctx, h, h.bookOf(v))), nil
}

// GetUsersPosts serves GET /api/books/getUsersPosts.
func (h *Handler) GetUsersPosts(ctx context.Context, r restgen.GetUsersPostsRequestObject) (restgen.GetUsersPostsResponseObject, error) {
	views, next, err := h.Listings.ListMine(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetUsersPosts200JSONResponse{BooksJSONResponse: h.books(ctx, views, next)}, nil
}
