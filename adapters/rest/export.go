package rest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/csvfile"
)

// guardIDs returns rows for a spreadsheet, which would round ids, if a request says so; programs get them as they are.
func guardIDs[T any](c *gin.Context, columns []string, row func(T) []string) func(T) []string {
	if c.Query("for") != "spreadsheet" {
		return row
	}
	return func(one T) []string {
		cells := row(one)
		for i, column := range columns {
			if column == "id" || strings.HasSuffix(column, "Id") {
				cells[i] = csvfile.ID(cells[i])
			}
		}
		return cells
	}
}

// export writes a CSV file. It reads page by page, so that memory does not grow with the
// number of rows. page returns the rows after a cursor and the cursor of the next page, ""
// after the last.
func export[T any](
	h *Handler, c *gin.Context, name string, columns []string, row func(T) []string,
	page func(ctx context.Context, at string) ([]T, string, error),
) {
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
	_, _ = w.WriteString(csvfile.ByteOrderMark)
	csvfile.WriteRow(w, columns)
	row = guardIDs(c, columns, row)
	control := http.NewResponseController(c.Writer)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(ioTimeout)) // for this page
		for _, r := range rows {
			csvfile.WriteRow(w, row(r))
		}
		if err := w.Flush(); err != nil || next == "" {
			return
		}
		if rows, next, err = read(next); err != nil {
			h.abortExport(ctx, err)
		}
	}
}

// payeeOf returns how payment usernames are written: as cells for a spreadsheet or, with
// ?for=payout, every byte as it is, because payouts go to it.
func payeeOf(c *gin.Context) func(string) string {
	if c.Query("for") == "payout" {
		return func(name string) string { return name }
	}
	return csvfile.Text
}

// abortExport cuts the connection, so that half a file cannot pass for a whole one.
func (h *Handler) abortExport(ctx context.Context, err error) {
	h.log.ErrorContext(ctx, "export aborted", "request_id", httpx.RequestID(ctx), "error", err)
	panic(http.ErrAbortHandler)
}
