package rest

import (
	"bufio"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
)

var columns = []string{
	"id", "bookId", "name", "status", "price", "fee", "total",
	"buyerId", "buyerFirstName", "buyerLastName", "buyerEmail",
	"sellerId", "sellerFirstName", "sellerLastName", "sellerEmail", "sellerPaymentUsername",
	"createdAt", "verifiedAt", "deliveredAt", "cancelledAt",
}

// exportTransactions serves GET /api/dashboard/exportTransactions. It reads page
// by page, so that its memory does not grow with the number of orders.
func (e *Edge) exportTransactions(c *gin.Context) {
	ctx := c.Request.Context()
	filter := exportFilter(c)
	orders, next, err := e.exportPage(ctx, filter, "")
	if err != nil {
		e.refuse(c, err)
		return
	}
	h := c.Writer.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="transactions.csv"`)
	w := bufio.NewWriter(c.Writer)
	writeRow(w, columns)
	control := http.NewResponseController(c.Writer)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(patience)) // for this page
		for _, o := range orders {
			writeRow(w, row(o))
		}
		if err := w.Flush(); err != nil || next == "" {
			return
		}
		if orders, next, err = e.exportPage(ctx, filter, next); err != nil {
			e.cutOff(ctx, err)
		}
	}
}

func (e *Edge) exportPage(ctx context.Context, f market.OrderFilter, at market.Cursor) ([]market.OrderView, market.Cursor, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return e.Orders.ListAll(ctx, by(ctx), f, market.Page{Limit: market.MaxLimit, Cursor: at})
}

// cutOff breaks the connection, so that half a file is not taken for the whole.
func (e *Edge) cutOff(ctx context.Context, err error) {
	e.log.ErrorContext(ctx, "export broke off", "request_id", httpx.RequestID(ctx), "error", err)
	panic(http.ErrAbortHandler)
}

// exportFilter reads what admission has checked.
func exportFilter(c *gin.Context) market.OrderFilter {
	f := market.OrderFilter{Search: c.Query("search")}
	if n, err := strconv.Atoi(c.Query("status")); err == nil {
		status := order.Status(n)
		f.Status = &status
	}
	return f
}

var statusWords = map[order.Status]string{
	order.Placed: "bought", order.Verified: "verified", order.Delivered: "delivered", order.Cancelled: "cancelled",
}

// row is an order as the columns have it. What people wrote must not become a
// formula, except for the payment username: it is what the payout goes to, and a
// payout tool takes every byte of it for the name.
func row(o market.OrderView) []string {
	b, s := o.BuyerParty, o.SellerParty
	return []string{
		o.ID.String(), o.Book.String(), harmless(o.Name), statusWords[o.Status], dollars(o.Price), dollars(o.Fee), dollars(o.Total()),
		b.ID.String(), harmless(b.FirstName), harmless(b.LastName), harmless(b.Email),
		s.ID.String(), harmless(s.FirstName), harmless(s.LastName), harmless(s.Email), s.PaymentUsername,
		moment(o.CreatedAt), moment(o.VerifiedAt), moment(o.DeliveredAt), moment(o.CancelledAt),
	}
}

func dollars(c money.Cents) string { return c.String() }

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
