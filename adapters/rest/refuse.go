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
	"github.com/octavo-books/octavo/domain/fault"
)

// protocol is a refusal with a status that no kind of fault stands for.
type protocol struct {
	fault  *fault.Error
	status int
}

func protocolError(status int, kind fault.Kind, code, msg string) error {
	return &protocol{fault.New(kind, code, msg), status}
}

func (p *protocol) Error() string { return p.fault.Error() }
func (p *protocol) Unwrap() error { return p.fault }

var errTooLarge = fault.New(fault.Invalid, "body_too_large", "The body is larger than 1 MiB.")

// statusClientGone is for the log and the metrics: nobody is there to read it.
const statusClientGone = 499

// refuse answers with a failure in the envelope. Causes go to the log.
func (e *Edge) refuse(c *gin.Context, err error) {
	c.Abort()
	if ended := c.Request.Context().Err(); ended != nil && fault.As(err) == nil {
		err = ended // stores fail in many ways when they are interrupted
	}
	if errors.Is(err, context.Canceled) {
		c.Status(statusClientGone)
		return
	}
	e.logTrouble(c, err)
	httpx.SetRetryAfter(c.Writer.Header(), err)
	e.writeRefusal(c.Writer, patternOf(c), err)
}

// Refuse answers what the kit stops before the router sees it. It is an
// httpx.ErrorWriter.
func (e *Edge) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	method := strings.TrimSuffix(r.URL.Path, "/")
	if op := e.operationAt(r.URL); op != nil {
		method = op.Pattern
	}
	e.writeRefusal(w, method, err)
}

func (e *Edge) writeRefusal(w http.ResponseWriter, method string, err error) {
	status := statusOf(err)
	h := w.Header()
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(wire.Answer[restgen.Refusal]{
		Data: refusalOf(err, status), Time: e.clock.Now().UTC(), Method: method,
	})
}

// logTrouble logs what is not the client's doing.
func (e *Edge) logTrouble(c *gin.Context, err error) {
	if statusOf(err) < http.StatusInternalServerError {
		return
	}
	ctx := c.Request.Context()
	e.log.ErrorContext(ctx, "request failed", "route", patternOf(c), "request_id", httpx.RequestID(ctx), "error", err)
}

func statusOf(err error) int {
	var p *protocol
	if errors.As(err, &p) {
		return p.status
	}
	return httpx.Status(err)
}

// refusalOf chooses the words.
func refusalOf(err error, status int) restgen.Refusal {
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
	if _, ok := f.Fields["after"]; ok { // as the identity core calls the cursor
		f = market.ErrCursor
	}
	r := restgen.Refusal{Code: f.Code, Error: f.Msg}
	if fields := fieldsOf(f); len(fields) > 0 {
		r.Fields = &fields
	}
	var lost *unavailable
	if errors.As(err, &lost) {
		r.Unavailable = &lost.ids
	}
	return r
}

var errUnavailable = fault.New(fault.Unavailable, "unavailable", "This is not available right now. Please try again.")

// blamed names the field for refusals that leave it to the edge.
var blamed = map[string]string{
	"email_invalid": "email", "email_not_edu": "email", "password_invalid": "password", "code_invalid": "code", "idempotency_key_invalid": "Idempotency-Key",
	"nothing_to_buy": "bookIds", "too_many_books": "bookIds",
}

func fieldsOf(f *fault.Error) map[string]string {
	if field, ok := blamed[f.Code]; ok && f.Fields == nil {
		return map[string]string{field: f.Msg}
	}
	reasons := make(map[string]string, len(f.Fields))
	for field, why := range f.Fields {
		reasons[field] = httpx.FieldMessage(why)
	}
	return reasons
}
