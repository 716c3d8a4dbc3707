package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// GetStatistics serves GET /api/dashboard/getStatistics.
func (e *Edge) GetStatistics(ctx context.Context, _ restgen.GetStatisticsRequestObject) (restgen.GetStatisticsResponseObject, error) {
	s, err := e.Statistics.Dashboard(ctx, by(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetStatistics200JSONResponse(reply(ctx, e, marketStatisticsOf(s))), nil
}

// GetUsers serves GET /api/dashboard/getUsers.
func (e *Edge) GetUsers(ctx context.Context, r restgen.GetUsersRequestObject) (restgen.GetUsersResponseObject, error) {
	page, err := e.People.List(ctx, by(ctx), auth.UserQuery{
		Search: valueOr(r.Params.Search, ""), InNames: true,
		First: valueOr(r.Params.Limit, market.DefaultLimit), After: valueOr(r.Params.Cursor, ""),
	})
	if err != nil {
		return nil, err
	}
	return restgen.GetUsers200JSONResponse{
		Body:    reply(ctx, e, each(page.Users, userOf)),
		Headers: restgen.GetUsers200ResponseHeaders{Link: linkTo(ctx, onlyIf(page.HasNext, page.EndCursor))},
	}, nil
}

// GetAuditLog serves GET /api/dashboard/getAuditLog.
func (e *Edge) GetAuditLog(ctx context.Context, r restgen.GetAuditLogRequestObject) (restgen.GetAuditLogResponseObject, error) {
	page, err := e.People.AuditLog(ctx, by(ctx), auth.AuditQuery{
		First: valueOr(r.Params.Limit, market.DefaultLimit), After: valueOr(r.Params.Cursor, ""),
	})
	if err != nil {
		return nil, err
	}
	return restgen.GetAuditLog200JSONResponse{
		Body:    reply(ctx, e, each(page.Entries, auditOf)),
		Headers: restgen.GetAuditLog200ResponseHeaders{Link: linkTo(ctx, onlyIf(page.HasNext, page.EndCursor))},
	}, nil
}

func onlyIf(hasNext bool, cursor string) string {
	if !hasNext {
		return ""
	}
	return cursor
}

// GetTransactions serves GET /api/dashboard/getTransactions.
func (e *Edge) GetTransactions(ctx context.Context, r restgen.GetTransactionsRequestObject) (restgen.GetTransactionsResponseObject, error) {
	p := r.Params
	orders, next, err := e.Orders.ListAll(ctx, by(ctx), orderFilterOf(p.Status, p.Search), pageOf(p.Limit, p.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetTransactions200JSONResponse{
		Body:    reply(ctx, e, each(orders, orderOf)),
		Headers: restgen.GetTransactions200ResponseHeaders{Link: linkTo(ctx, next)},
	}, nil
}

func orderFilterOf(status *int, search *string) market.OrderFilter {
	return market.OrderFilter{Status: (*order.Status)(status), Search: valueOr(search, "")}
}

// GetBooksWithStatus serves GET /api/dashboard/getBooksWithStatus/:status.
func (e *Edge) GetBooksWithStatus(ctx context.Context, r restgen.GetBooksWithStatusRequestObject) (restgen.GetBooksWithStatusResponseObject, error) {
	views, next, err := e.Listings.ListByStatus(ctx, by(ctx), book.Status(r.Status), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetBooksWithStatus200JSONResponse{BooksJSONResponse: e.books(ctx, views, next)}, nil
}

// ConfirmBook serves POST /api/dashboard/confirmBook.
func (e *Edge) ConfirmBook(ctx context.Context, r restgen.ConfirmBookRequestObject) (restgen.ConfirmBookResponseObject, error) {
	o, err := e.Orders.Confirm(ctx, by(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.ConfirmBook200JSONResponse(reply(ctx, e, orderOf(o))), nil
}

// SetBookPaid serves POST /api/dashboard/setBookPaid.
func (e *Edge) SetBookPaid(ctx context.Context, r restgen.SetBookPaidRequestObject) (restgen.SetBookPaidResponseObject, error) {
	o, err := e.Orders.SetPaid(ctx, by(ctx), idOf[book.ID](r.Body.BookId))
	if err != nil {
		return nil, err
	}
	return restgen.SetBookPaid200JSONResponse(reply(ctx, e, orderOf(o))), nil
}

// CancelTransaction serves POST /api/dashboard/cancelTransaction.
func (e *Edge) CancelTransaction(ctx context.Context, r restgen.CancelTransactionRequestObject) (restgen.CancelTransactionResponseObject, error) {
	v, err := e.Orders.Cancel(ctx, by(ctx), idOf[book.ID](r.Body.BookId), r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return restgen.CancelTransaction200JSONResponse(reply(ctx, e, bookOf(v))), nil
}

// MakeAdmin serves PUT /api/dashboard/makeAdmin. An owner is an admin already.
func (e *Edge) MakeAdmin(ctx context.Context, r restgen.MakeAdminRequestObject) (restgen.MakeAdminResponseObject, error) {
	u, err := e.People.MakeAdmin(ctx, by(ctx), idOf[user.ID](r.Body.UserId))
	if err != nil {
		return nil, err
	}
	return restgen.MakeAdmin200JSONResponse(reply(ctx, e, userOf(u))), nil
}

// RevokeAdmin serves PUT /api/dashboard/revokeAdmin. It makes nobody less than
// they were but an admin.
func (e *Edge) RevokeAdmin(ctx context.Context, r restgen.RevokeAdminRequestObject) (restgen.RevokeAdminResponseObject, error) {
	u, err := e.People.RevokeAdmin(ctx, by(ctx), idOf[user.ID](r.Body.UserId))
	if err != nil {
		return nil, err
	}
	return restgen.RevokeAdmin200JSONResponse(reply(ctx, e, userOf(u))), nil
}

// unlistAfter is the age, in days, from which deactivateBooks unlists if it is
// not told another.
const unlistAfter = 62

// DeactivateBooks serves POST /api/dashboard/deactivateBooks.
func (e *Edge) DeactivateBooks(ctx context.Context, r restgen.DeactivateBooksRequestObject) (restgen.DeactivateBooksResponseObject, error) {
	ids, err := e.ExpireListings.Do(ctx, by(ctx), valueOr(r.Body.OlderThanDays, unlistAfter), valueOr(r.Body.DryRun, false))
	if err != nil {
		return nil, err
	}
	return restgen.DeactivateBooks200JSONResponse(reply(ctx, e, restgen.Deactivated{Count: len(ids), BookIds: texts(ids)})), nil
}
