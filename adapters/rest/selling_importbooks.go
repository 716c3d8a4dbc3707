package rest

import (
	"context"
	"crypto/sha256"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/body"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/pasted"
)

func (h *Handler) importOperations() feature {
	return feature{
		streams: map[string]gin.HandlerFunc{"/api/books/importBooks": h.importBooks, "/api/books/exportMyBooks": h.exportMyBooks},
	}
}

// importTimeout is how long posting the books of a file may take after it has arrived.
const importTimeout = 5 * time.Minute

var (
	errImportTooLarge = newStatusError(http.StatusRequestEntityTooLarge, fault.Invalid, "body_too_large", "The body is larger than 10 MiB.")
	errNotCSV         = newStatusError(http.StatusUnsupportedMediaType, fault.Invalid, "unsupported_media_type", "The body must be sent as text/csv, in UTF-8, UTF-16, Windows-1252 or Shift_JIS.")
)

// validateImport is validate for a CSV body, which the handler reads later: see validateUpload.
func (h *Handler) validateImport(c *gin.Context, op *openapi.Operation) {
	var err error
	switch {
	case httpx.IsTooLong(c.Request, market.MaxImport):
		err = errImportTooLarge
	case c.Request.ContentLength != 0 && !isCSV(c.GetHeader("Content-Type")):
		err = errNotCSV
	default:
		err = authorize(c, op.Who)
	}
	if err == nil {
		err = h.validateRequest(c, op, nil)
	}
	if err != nil {
		h.abortUnread(c, err)
	}
}

// charsets are the encodings as which a body may be declared. Which one it has is found out from the body itself.
var charsets = []string{"utf-8", "utf-16", "utf-16le", "utf-16be", "windows-1252", "shift_jis"}

// isCSV reports whether the body is declared as CSV in an encoding that is read.
func isCSV(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	charset, given := params["charset"]
	return err == nil && media == "text/csv" && (!given || slices.Contains(charsets, strings.ToLower(charset)))
}

// receiveCSV reads a CSV body and calls do with it; the time bounds are those of uploads.
func (h *Handler) receiveCSV(c *gin.Context, do func(ctx context.Context, file []byte) error) {
	ctx := c.Request.Context()
	done, err := h.Uploads.Begin(ctx, callerOf(ctx).ID)
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	defer done()
	control := http.NewResponseController(c.Writer)
	_ = control.SetReadDeadline(time.Now().Add(httpx.UploadTimeout))
	file, err := readImport(c)
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	_ = control.SetWriteDeadline(time.Now().Add(importTimeout + ioTimeout))
	ctx, cancel := context.WithTimeout(ctx, importTimeout)
	defer cancel()
	c.Header("Content-Type", "application/json")
	if err := do(ctx, file); err != nil {
		h.abortWithError(c, err)
	}
}

// importBooks serves POST /api/books/importBooks.
func (h *Handler) importBooks(c *gin.Context) {
	h.receiveCSV(c, func(ctx context.Context, file []byte) error {
		options := selling.ImportOptions{Dates: dateOrders[c.Query("dates")]}
		options.DryRun, _ = strconv.ParseBool(c.Query("dryRun")) // validated
		call := "importBooks " + c.Query("dates")
		key := market.IdempotencyKey{Value: c.GetHeader("Idempotency-Key"), BodyHash: sha256.Sum256(append([]byte(call), file...))}
		result, err := h.Imports.Import(ctx, callerOf(ctx), key, file, options)
		if err != nil {
			return err
		}
		if result.Failure != nil {
			h.logServerError(c, result.Failure)
		}
		if result.Replayed {
			c.Header("Idempotent-Replayed", "true")
		}
		c.JSON(http.StatusOK, newEnvelope(h, c, restgen.Import{
			Accepted: result.Accepted, Books: convertAll(result.Books, h.bookOf), Rejected: convertAll(result.Rejected, rejectedOf),
			File: importFileOf(result.File),
		}))
		return nil
	})
}

// dateOrders are the values of the parameter dates.
var dateOrders = map[string]pasted.DateOrder{"day": pasted.DayFirst, "month": pasted.MonthFirst, "year": pasted.YearFirst}

func importFileOf(f selling.ImportFile) restgen.ImportFile {
	out := restgen.ImportFile{
		Encoding: f.Encoding, Separator: f.Separator, Columns: f.Fields, Blank: f.Blank, Totals: append([]int{}, f.Totals...),
	}
	for name, order := range dateOrders {
		if order == f.Dates {
			out.Dates = &name
		}
	}
	return out
}

func rejectedOf(r market.RejectedLine) restgen.RejectedLine {
	return restgen.RejectedLine{Line: r.Line, Fields: r.Fields}
}

func readImport(c *gin.Context) ([]byte, error) {
	file, err := io.ReadAll(io.LimitReader(c.Request.Body, market.MaxImport+1))
	switch {
	case len(file) > market.MaxImport:
		body.Drain(c.Request)
		return nil, errImportTooLarge
	case err != nil:
		return nil, body.ErrNotJSON.WithMsg("The body is incomplete.")
	case len(file) > 0 && !isCSV(c.GetHeader("Content-Type")): // without a Content-Length
		return nil, errNotCSV
	}
	return file, nil
}

var ownBookColumns = []string{
	"id", "name", "edition", "course", "ISBN", "condition", "price", "currency",
	"status", "university", "date", "createdAt", "listedAt", "Comments", "authors",
}

// exportMyBooks serves GET /api/books/exportMyBooks.
func (h *Handler) exportMyBooks(c *gin.Context) {
	export(h, c, "books.csv", ownBookColumns, h.ownBookRow, func(ctx context.Context, at string) ([]market.BookView, string, error) {
		books, next, err := h.Listings.ListMine(ctx, callerOf(ctx), market.Page{Limit: market.MaxLimit, Cursor: market.Cursor(at)})
		return books, string(next), err
	})
}

// ownBookRow is bookRow without the seller.
func (h *Handler) ownBookRow(b market.BookView) []string {
	row := h.bookRow(b)
	return append(row[:10:10], row[12:]...)
}
