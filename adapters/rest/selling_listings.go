package rest

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/rest/csvfile"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

func (h *Handler) listingOperations() feature {
	return feature{
		streams: map[string]gin.HandlerFunc{"/api/dashboard/exportBooks": h.exportBooks},
		rules:   rules{"postBook": rule(checkPost), "updateBook": rule(checkUpdate)},
	}
}

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
		Date: b.Date.Time, Comments: valueOr(b.Comments, ""), ISBN: valueOr(b.ISBN, ""), Authors: valueOr(b.Authors, ""),
	}
}

// UpdateBook serves POST /api/books/updateBook.
func (h *Handler) UpdateBook(ctx context.Context, r restgen.UpdateBookRequestObject) (restgen.UpdateBookResponseObject, error) {
	v, err := h.Listings.Update(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId), h.patchOf(r.Body))
	return reply[restgen.UpdateBook200JSONResponse](ctx, h, v, err, h.bookOf)
}

func (h *Handler) patchOf(b *restgen.UpdateBookBody) book.Patch {
	p := book.Patch{
		Name: b.Name, Course: b.Course, Edition: b.Edition, Price: h.optionalAmountOf(b.Price), Condition: b.Condition,
		Comments: cleared(b.Comments), ISBN: cleared(b.ISBN), Authors: cleared(b.Authors),
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
	return reply[restgen.DeleteBook200JSONResponse](ctx, h, v, err, h.bookOf)
}

// ReactivateBook serves POST /api/books/reactivateBook.
func (h *Handler) ReactivateBook(ctx context.Context, r restgen.ReactivateBookRequestObject) (restgen.ReactivateBookResponseObject, error) {
	v, err := h.Listings.Relist(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	return reply[restgen.ReactivateBook200JSONResponse](ctx, h, v, err, h.bookOf)
}

// GetUsersPosts serves GET /api/books/getUsersPosts.
func (h *Handler) GetUsersPosts(ctx context.Context, r restgen.GetUsersPostsRequestObject) (restgen.GetUsersPostsResponseObject, error) {
	views, next, err := h.Listings.ListMine(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetUsersPosts200JSONResponse{BooksJSONResponse: h.books(ctx, views, next)}, nil
}

// GetBooksWithStatus serves GET /api/dashboard/getBooksWithStatus/:status.
func (h *Handler) GetBooksWithStatus(
	ctx context.Context, r restgen.GetBooksWithStatusRequestObject,
) (restgen.GetBooksWithStatusResponseObject, error) {
	views, next, err := h.Listings.ListByStatus(ctx, callerOf(ctx), book.Status(r.Status), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	out := h.books(ctx, views, next)
	out.Body = respond(ctx, h, convertAll(views, h.adminBookOf))
	return restgen.GetBooksWithStatus200JSONResponse{BooksJSONResponse: out}, nil
}

// unlistAfter is the default age of books for deactivateBooks, in days.
const unlistAfter = 62

// DeactivateBooks serves POST /api/dashboard/deactivateBooks.
func (h *Handler) DeactivateBooks(
	ctx context.Context, r restgen.DeactivateBooksRequestObject,
) (restgen.DeactivateBooksResponseObject, error) {
	ids, err := h.ExpireListings.Do(ctx, callerOf(ctx), valueOr(r.Body.OlderThanDays, unlistAfter), valueOr(r.Body.DryRun, false))
	if err != nil {
		return nil, err
	}
	return restgen.DeactivateBooks200JSONResponse(respond(ctx, h, restgen.Deactivated{Count: len(ids), BookIds: idStrings(ids)})), nil
}

var bookColumns = []string{
	"id", "name", "edition", "course", "ISBN", "condition", "price", "currency", "status", "university",
	"sellerId", "sellerFirstName", "date", "createdAt", "listedAt", "Comments", "authors",
}

// exportBooks serves GET /api/dashboard/exportBooks: the books in a status.
func (h *Handler) exportBooks(c *gin.Context) {
	status, _ := strconv.Atoi(c.Query("status")) // 0 without one; validated
	export(h, c, "books.csv", bookColumns, h.bookRow, func(ctx context.Context, at string) ([]market.BookView, string, error) {
		books, next, err := h.Listings.ListByStatus(
			ctx, callerOf(ctx), book.Status(status), market.Page{Limit: market.MaxLimit, Cursor: market.Cursor(at)},
		)
		return books, string(next), err
	})
}

var bookStatusNames = map[book.Status]string{
	book.ForSale: "for sale", book.Bought: "bought", book.Verified: "verified", book.Delivered: "delivered", book.Unlisted: "unlisted",
}

func (h *Handler) bookRow(b market.BookView) []string {
	return []string{
		b.ID.String(), csvfile.Text(b.Name), strconv.Itoa(b.Edition), csvfile.Text(b.Course), csvfile.ISBN(b.ISBN), b.Condition.String(),
		h.cfg.Currency.Format(b.Price), h.cfg.Currency.Code(), bookStatusNames[b.Status],
		csvfile.Text(b.University), b.Seller.String(), csvfile.Text(b.SellerName),
		csvfile.Time(b.Date), csvfile.Time(b.CreatedAt), csvfile.Time(b.ListedAt), csvfile.Text(b.Comments), csvfile.Text(b.Authors),
	}
}

func checkPost(h *Handler, b *restgen.PostBookBody) []error {
	_, err := h.draftOf(b).Check(h.cfg.Currency, h.clock.Now())
	return []error{err}
}

func checkUpdate(h *Handler, b *restgen.UpdateBookBody) []error {
	return []error{h.patchOf(b).Check(h.cfg.Currency, h.clock.Now())}
}
