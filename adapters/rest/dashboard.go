package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// GetStatistics serves GET /api/dashboard/getStatistics.
func (h *Handler) GetStatistics(ctx context.Context, r restgen.GetStatisticsRequestObject) (restgen.GetStatisticsResponseObject, error) {
	s, err := h.Statistics.Dashboard(ctx, callerOf(ctx), valueOr(r.Params.University, ""))
	if err != nil {
		return nil, err
	}
	return restgen.GetStatistics200JSONResponse(respond(ctx, h, h.marketStatisticsOf(s))), nil
}

// GetUsers serves GET /api/dashboard/getUsers.
func (h *Handler) GetUsers(ctx context.Context, r restgen.GetUsersRequestObject) (restgen.GetUsersResponseObject, error) {
	page, err := h.People.List(ctx, callerOf(ctx), auth.UserQuery{
		Search: valueOr(r.Params.Search, ""), InNames: true,
		First: valueOr(r.Params.Limit, market.DefaultLimit), After: valueOr(r.Params.Cursor, ""),
	})
	if err != nil {
		return nil, err
	}
	return restgen.GetUsers200JSONResponse{
		Body:    respond(ctx, h, convertAll(page.Users, userOf)),
		Headers: restgen.GetUsers200ResponseHeaders{Link: linkTo(ctx, cursorIf(page.HasNext, page.EndCursor))},
	}, nil
}

// GetAuditLog serves GET /api/dashboard/getAuditLog.
func (h *Handler) GetAuditLog(ctx context.Context, r restgen.GetAuditLogRequestObject) (restgen.GetAuditLogResponseObject, error) {
	page, err := h.People.AuditLog(ctx, callerOf(ctx), auth.AuditQuery{
		First: valueOr(r.Params.Limit, market.DefaultLimit), After: valueOr(r.Params.Cursor, ""),
	})
	if err != nil {
		return nil, err
	}
	return restgen.GetAuditLog200JSONResponse{
		Body:    respond(ctx, h, convertAll(page.Entries, auditOf)),
		Headers: restgen.GetAuditLog200ResponseHeaders{Link: linkTo(ctx, cursorIf(page.HasNext, page.EndCursor))},
	}, nil
}

func cursorIf(hasNext bool, cursor string) string {
	if !hasNext {
		return ""
	}
	return cursor
}

// GetTransactions serves GET /api/dashboard/getTransactions.
func (h *Handler) GetTransactions(ctx context.Context, r restgen.GetTransactionsRequestObject) (restgen.GetTransactionsResponseObject, error) {
	p := r.Params
	orders, next, err := h.Orders.ListAll(ctx, callerOf(ctx), orderFilterOf(p.Status, p.Search), pageOf(p.Limit, p.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetTransactions200JSONResponse{
		Body:    respond(ctx, h, convertAll(orders, h.adminOrderOf)),
		Headers: restgen.GetTransactions200ResponseHeaders{Link: linkTo(ctx, next)},
	}, nil
}

func orderFilterOf(status *int, search *string) buying.OrderFilter {
	return buying.OrderFilter{Status: (*order.Status)(status), Search: valueOr(search, "")}
}

// GetBooksWithStatus serves GET /api/dashboard/getBooksWithStatus/:status.
func (h *Handler) GetBooksWithStatus(ctx context.Context, r restgen.GetBooksWithStatusRequestObject) (restgen.GetBooksWithStatusResponseObject, error) {
	views, next, err := h.Listings.ListByStatus(ctx, callerOf(ctx), book.Status(r.Status), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	out := h.books(ctx, views, next)
	out.Body = respond(ctx, h, convertAll(views, h.adminBookOf))
	return restgen.GetBooksWithStatus200JSONResponse{BooksJSONResponse: out}, nil
}

// ConfirmBook serves POST /api/dashboard/confirmBook.
func (h *Handler) ConfirmBook(ctx context.Context, r restgen.ConfirmBookRequestObject) (restgen.ConfirmBookResponseObject, error) {
	o, err := h.Orders.Confirm(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.ConfirmBook200JSONResponse(respond(ctx, h, h.adminOrderOf(o))), nil
}

// SetBookPaid serves POST /api/dashboard/setBookPaid.
func (h *Handler) SetBookPaid(ctx context.Context, r restgen.SetBookPaidRequestObject) (restgen.SetBookPaidResponseObject, error) {
	o, err := h.Orders.SetPaid(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.SetBookPaid200JSONResponse(respond(ctx, h, h.adminOrderOf(o))), nil
}

// SettleOrder serves POST /api/dashboard/settleOrder.
func (h *Handler) SettleOrder(ctx context.Context, r restgen.SettleOrderRequestObject) (restgen.SettleOrderResponseObject, error) {
	o, err := h.Orders.Settle(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.SettleOrder200JSONResponse(respond(ctx, h, h.adminOrderOf(o))), nil
}

// CancelTransaction serves POST /api/dashboard/cancelTransaction.
func (h *Handler) CancelTransaction(ctx context.Context, r restgen.CancelTransactionRequestObject) (restgen.CancelTransactionResponseObject, error) {
	v, err := h.Orders.Cancel(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId), r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return restgen.CancelTransaction200JSONResponse(respond(ctx, h, h.bookOf(v))), nil
}

// MakeAdmin serves PUT /api/dashboard/makeAdmin. An owner is an admin already.
func (h *Handler) MakeAdmin(ctx context.Context, r restgen.MakeAdminRequestObject) (restgen.MakeAdminResponseObject, error) {
	u, err := h.People.MakeAdmin(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId))
	if err != nil {
		return nil, err
	}
	return restgen.MakeAdmin200JSONResponse(respond(ctx, h, userOf(u))), nil
}

// RevokeAdmin serves PUT /api/dashboard/revokeAdmin. It only demotes
// admins.
func (h *Handler) RevokeAdmin(ctx context.Context, r restgen.RevokeAdminRequestObject) (restgen.RevokeAdminResponseObject, error) {
	u, err := h.People.RevokeAdmin(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId))
	if err != nil {
		return nil, err
	}
	return restgen.RevokeAdmin200JSONResponse(respond(ctx, h, userOf(u))), nil
}

// SetStore serves POST /api/dashboard/setStore.
func (h *Handler) SetStore(ctx context.Context, r restgen.SetStoreRequestObject) (restgen.SetStoreResponseObject, error) {
	u, err := h.People.SetStore(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId), r.Body.Store)
	if err != nil {
		return nil, err
	}
	return restgen.SetStore200JSONResponse(respond(ctx, h, userOf(u))), nil
}

// unlistAfter is the default age of books for deactivateBooks, in days.
const unlistAfter = 62

// DeactivateBooks serves POST /api/dashboard/deactivateBooks.
func (h *Handler) DeactivateBooks(ctx context.Context, r restgen.DeactivateBooksRequestObject) (restgen.DeactivateBooksResponseObject, error) {
	ids, err := h.ExpireListings.Do(ctx, callerOf(ctx), valueOr(r.Body.OlderThanDays, unlistAfter), valueOr(r.Body.DryRun, false))
	if err != nil {
		return nil, err
	}
	return restgen.DeactivateBooks200JSONResponse(respond(ctx, h, restgen.Deactivated{Count: len(ids), BookIds: idStrings(ids)})), nil
}
