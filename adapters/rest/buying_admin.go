package rest

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/rest/csvfile"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
)

func (h *Handler) orderAdminOperations() feature {
	return feature{streams: map[string]gin.HandlerFunc{"/api/dashboard/exportTransactions": h.exportTransactions}}
}

// GetTransactions serves GET /api/dashboard/getTransactions.
func (h *Handler) GetTransactions(
	ctx context.Context, r restgen.GetTransactionsRequestObject,
) (restgen.GetTransactionsResponseObject, error) {
	p := r.Params
	orders, next, err := h.Orders.ListAll(ctx, callerOf(ctx), orderFilterOf(p.Status, p.Search), pageOf(p.Limit, p.Cursor))
	return replyPage[restgen.GetTransactions200JSONResponse](ctx, h, orders, next, err, h.adminOrderOf)
}

func orderFilterOf(status *int, search *string) buying.OrderFilter {
	return buying.OrderFilter{Status: (*order.Status)(status), Search: valueOr(search, "")}
}

// ConfirmBook serves POST /api/dashboard/confirmBook.
func (h *Handler) ConfirmBook(ctx context.Context, r restgen.ConfirmBookRequestObject) (restgen.ConfirmBookResponseObject, error) {
	o, err := h.Orders.Confirm(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	return reply[restgen.ConfirmBook200JSONResponse](ctx, h, o, err, h.adminOrderOf)
}

// SetBookPaid serves POST /api/dashboard/setBookPaid.
func (h *Handler) SetBookPaid(ctx context.Context, r restgen.SetBookPaidRequestObject) (restgen.SetBookPaidResponseObject, error) {
	o, err := h.Orders.SetPaid(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	return reply[restgen.SetBookPaid200JSONResponse](ctx, h, o, err, h.adminOrderOf)
}

// SettleOrder serves POST /api/dashboard/settleOrder.
func (h *Handler) SettleOrder(ctx context.Context, r restgen.SettleOrderRequestObject) (restgen.SettleOrderResponseObject, error) {
	o, err := h.Orders.Settle(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId))
	return reply[restgen.SettleOrder200JSONResponse](ctx, h, o, err, h.adminOrderOf)
}

// CancelTransaction serves POST /api/dashboard/cancelTransaction.
func (h *Handler) CancelTransaction(
	ctx context.Context, r restgen.CancelTransactionRequestObject,
) (restgen.CancelTransactionResponseObject, error) {
	v, err := h.Orders.Cancel(ctx, callerOf(ctx), idOf[book.ID](r.Body.BookId), r.Body.Reason)
	return reply[restgen.CancelTransaction200JSONResponse](ctx, h, v, err, h.bookOf)
}

var columns = []string{
	"id", "bookId", "name", "status", "price", "fee", "total", "currency",
	"buyerId", "buyerFirstName", "buyerLastName", "buyerEmail",
	"sellerId", "sellerFirstName", "sellerLastName", "sellerEmail", "sellerPaymentUsername",
	"createdAt", "verifiedAt", "deliveredAt", "cancelledAt", "code", "cancelReason",
}

// exportTransactions serves GET /api/dashboard/exportTransactions.
func (h *Handler) exportTransactions(c *gin.Context) {
	filter := exportFilter(c)
	payee := payeeOf(c)
	row := func(o market.OrderView) []string { return h.csvRow(o, payee) }
	export(h, c, "transactions.csv", columns, row, func(ctx context.Context, at string) ([]market.OrderView, string, error) {
		orders, next, err := h.Orders.ListAll(ctx, callerOf(ctx), filter, market.Page{Limit: market.MaxLimit, Cursor: market.Cursor(at)})
		return orders, string(next), err
	})
}

// exportFilter converts the validated query.
func exportFilter(c *gin.Context) buying.OrderFilter {
	f := buying.OrderFilter{Search: c.Query("search")}
	if n, err := strconv.Atoi(c.Query("status")); err == nil {
		status := order.Status(n)
		f.Status = &status
	}
	return f
}

var statusNames = map[order.Status]string{
	order.Placed: "bought", order.Verified: "verified", order.Delivered: "delivered", order.Cancelled: "cancelled",
}

// csvRow converts an order. It escapes formulas in all texts that people wrote, in the
// payment username as payee does.
func (h *Handler) csvRow(o market.OrderView, payee func(string) string) []string {
	b, s, c := o.BuyerParty, o.SellerParty, h.cfg.Currency
	return []string{
		o.ID.String(), o.Book.String(), csvfile.Text(o.Name), statusNames[o.Status],
		c.Format(o.Price), c.Format(o.Fee), c.Format(o.Total()), c.Code(),
		b.ID.String(), csvfile.Text(b.FirstName), csvfile.Text(b.LastName), csvfile.Text(b.Email),
		s.ID.String(), csvfile.Text(s.FirstName), csvfile.Text(s.LastName), csvfile.Text(s.Email), payee(s.PaymentUsername),
		csvfile.Time(o.CreatedAt), csvfile.Time(o.VerifiedAt), csvfile.Time(o.DeliveredAt),
		csvfile.Time(o.CancelledAt), string(o.ID.Code()), csvfile.Text(o.Reason),
	}
}
