package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/fault"
)

// statusError is a refusal whose status does not follow from its kind.
type statusError struct {
	fault  *fault.Error
	status int
}

func newStatusError(status int, kind fault.Kind, code, msg string) error {
	return &statusError{fault.New(kind, code, msg), status}
}

func (e *statusError) Error() string { return e.fault.Error() }
func (e *statusError) Unwrap() error { return e.fault }

var errTooLarge = fault.New(fault.Invalid, "body_too_large", "The body is larger than 1 MiB.")

// statusClientGone appears in logs and metrics only: the client has disconnected.
const statusClientGone = 499

// abortWithError writes err in the envelope. It logs causes and never sends them.
func (h *Handler) abortWithError(c *gin.Context, err error) {
	c.Abort()
	if ended := c.Request.Context().Err(); ended != nil && fault.As(err) == nil {
		err = ended // interrupted stores return many different errors
	}
	if errors.Is(err, context.Canceled) {
		c.Status(statusClientGone)
		return
	}
	h.logServerError(c, err)
	httpx.SetRetryAfter(c.Writer.Header(), err)
	h.writeErrorBody(c.Writer, patternOf(c), err)
}

// WriteError is the httpx.ErrorWriter of this API.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	method := strings.TrimSuffix(r.URL.Path, "/")
	if op := h.operationAt(r.URL); op != nil {
		method = op.Pattern
	}
	h.writeErrorBody(w, method, err)
}

func (h *Handler) writeErrorBody(w http.ResponseWriter, method string, err error) {
	status := statusOf(err)
	header := w.Header()
	if status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(wire.Envelope[restgen.Refusal]{
		Data: h.errorBodyOf(err, status), Time: h.clock.Now().UTC(), Method: method,
	})
}

// logServerError logs err unless the client has caused it.
func (h *Handler) logServerError(c *gin.Context, err error) {
	if statusOf(err) < http.StatusInternalServerError {
		return
	}
	ctx := c.Request.Context()
	h.log.ErrorContext(ctx, "request failed", "route", patternOf(c), "request_id", httpx.RequestID(ctx), "error", err)
}

func statusOf(err error) int {
	var p *statusError
	if errors.As(err, &p) {
		return p.status
	}
	return httpx.Status(err)
}

// errorBodyOf returns the public code, message and fields of err.
func (h *Handler) errorBodyOf(err error, status int) restgen.Refusal {
	f := fault.As(err)
	switch {
	case f != nil:
	case status == http.StatusRequestEntityTooLarge:
		f = errTooLarge
	case status == http.StatusServiceUnavailable:
		f = errUnavailable
	default:
		f = httpx.ErrInternal
	}
	if _, ok := f.Fields["after"]; ok { // auth's name for the cursor
		f = market.ErrCursor
	}
	r := restgen.Refusal{Code: f.Code, Error: f.Msg}
	if fields := fieldsOf(f); len(fields) > 0 {
		r.Fields = &fields
	}
	if id, ok := f.Details["challenge"]; ok {
		r.Challenge = &id
	}
	var lost *unavailableError
	if errors.As(err, &lost) {
		r.Unavailable = &lost.ids
	}
	var changed *buying.PriceChangedError
	if errors.As(err, &changed) {
		total := h.money(changed.Total)
		r.Total = &total
	}
	return r
}

var errUnavailable = fault.New(fault.Unavailable, "unavailable", "This service is unavailable right now. Please try again.")

// fieldByCode maps codes of refusals without fields to the field that they concern.
var fieldByCode = map[string]string{
	"email_invalid": "email", "email_not_campus": "email", "password_invalid": "password",
	"code_invalid": "code", "challenge_invalid": "challenge", "idempotency_key_invalid": "Idempotency-Key",
	"nothing_to_buy": "bookIds", "too_many_books": "bookIds",
}

func fieldsOf(f *fault.Error) map[string]string {
	if field, ok := fieldByCode[f.Code]; ok && f.Fields == nil {
		return map[string]string{field: f.Msg}
	}
	reasons := make(map[string]string, len(f.Fields))
	for field, why := range f.Fields {
		reasons[field] = httpx.FieldMessage(why)
	}
	return reasons
}
