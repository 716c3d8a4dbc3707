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
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/order"
)

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

// export writes a CSV file. It reads page by page, so that memory does not grow with the
// number of rows. page returns the rows after a cursor and the cursor of the next page, ""
// after the last.
func export[T any](h *Handler, c *gin.Context, name string, columns []string, row func(T) []string, page func(ctx context.Context, at string) ([]T, string, error)) {
	ctx := c.Request.Context()
	read := func(at string) ([]T, string, error) {
		ctx, cancel := context.WithTimeout(ctx, ioTimeout)
		defer cancel()
		return page(ctx, at)
	}
	rows, next, err := read("")
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	header := c.Writer.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w := bufio.NewWriter(c.Writer)
	_, _ = w.WriteString(byteOrderMark)
	writeRow(w, columns)
	control := http.NewResponseController(c.Writer)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(ioTimeout)) // for this page
		for _, r := range rows {
			writeRow(w, row(r))
		}
		if err := w.Flush(); err != nil || next == "" {
			return
		}
		if rows, next, err = read(next); err != nil {
			h.abortExport(ctx, err)
		}
	}
}

// byteOrderMark begins a file: spreadsheets on Windows read one without it in another encoding.
const byteOrderMark = "\ufeff"

// payeeOf returns how payment usernames are written: as cells for a spreadsheet or, with
// ?for=payout, every byte as it is, because payouts go to it.
func payeeOf(c *gin.Context) func(string) string {
	if c.Query("for") == "payout" {
		return func(name string) string { return name }
	}
	return escapeFormula
}

// abortExport cuts the connection, so that half a file cannot pass for a whole one.
func (h *Handler) abortExport(ctx context.Context, err error) {
	h.log.ErrorContext(ctx, "export aborted", "request_id", httpx.RequestID(ctx), "error", err)
	panic(http.ErrAbortHandler)
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
		o.ID.String(), o.Book.String(), escapeFormula(o.Name), statusNames[o.Status], c.Format(o.Price), c.Format(o.Fee), c.Format(o.Total()), c.Code(),
		b.ID.String(), escapeFormula(b.FirstName), escapeFormula(b.LastName), escapeFormula(b.Email),
		s.ID.String(), escapeFormula(s.FirstName), escapeFormula(s.LastName), escapeFormula(s.Email), payee(s.PaymentUsername),
		formatTime(o.CreatedAt), formatTime(o.VerifiedAt), formatTime(o.DeliveredAt), formatTime(o.CancelledAt), string(o.ID.Code()), escapeFormula(o.Reason),
	}
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
