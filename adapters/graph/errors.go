package graph

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

// The codes that this edge gives by itself.
const (
	badRequest      = "BAD_REQUEST"
	queryTooComplex = "QUERY_TOO_COMPLEX"
	notFound        = "NOT_FOUND"
	unavailable     = "UNAVAILABLE"
	internal        = "INTERNAL"
)

// contractCodes holds the codes that the core's refusals bring along; any other
// refusal is told by its kind.
var contractCodes = map[string]bool{
	"UNAUTHENTICATED": true, "FORBIDDEN": true, "INVALID_CREDENTIALS": true, "EMAIL_INVALID": true, "PASSWORD_INVALID": true,
	"CODE_INVALID": true, "SESSION_INVALID": true, "REGISTRATION_DISABLED": true, "RATE_LIMITED": true, notFound: true,
	"CANNOT_DELETE_SELF": true, queryTooComplex: true, badRequest: true, unavailable: true, internal: true,
}

var codeOfKind = map[fault.Kind]string{
	fault.Invalid:         badRequest,
	fault.Unauthenticated: "UNAUTHENTICATED",
	fault.Forbidden:       "FORBIDDEN",
	fault.NotFound:        notFound,
	fault.Conflict:        badRequest,
	fault.Limited:         "RATE_LIMITED",
	fault.Unavailable:     unavailable,
}

// extensions say what a failure is: its code, and when to try again.
func extensions(err error) map[string]any {
	f := fault.As(err)
	if f == nil {
		return map[string]any{"code": internal}
	}
	code := strings.ToUpper(f.Code)
	if !contractCodes[code] {
		code = codeOfKind[f.Kind]
	}
	if code == "" {
		code = internal
	}
	ext := map[string]any{"code": code}
	if f.Kind == fault.Limited || f.Kind == fault.Unavailable {
		ext["retryAfter"] = httpx.RetryAfterSeconds(err)
	}
	return ext
}

// present makes the error that a client sees of one that came up while
// executing. What the core refuses has its code; anything else was said by
// gqlgen about the arguments, because resolve and recovered let no cause through.
func present(_ context.Context, err error) *gqlerror.Error {
	shown := &gqlerror.Error{Message: httpx.PublicMessage(err), Extensions: extensions(err)}
	var told *gqlerror.Error
	if !errors.As(err, &told) {
		return shown
	}
	shown.Path, shown.Locations = told.Path, told.Locations
	if fault.As(err) == nil {
		shown.Message, shown.Extensions = withoutSuggestion(told.Message), map[string]any{"code": badRequest}
	}
	return shown
}

// withoutSuggestion cuts what would teach the schema name by name.
func withoutSuggestion(msg string) string {
	msg, _, _ = strings.Cut(msg, " Did you mean")
	return msg
}

// refusal is a request that is refused as a whole, before anything is executed.
type refusal struct {
	status int
	err    *gqlerror.Error
}

func (r *refusal) Error() string { return r.err.Message }

func refuse(status int, code, msg string) *refusal {
	return &refusal{status, &gqlerror.Error{Message: msg, Extensions: map[string]any{"code": code}}}
}

// syntaxError says where the query is wrong but not what stands there.
func syntaxError(err error) *refusal {
	r := refuse(errSyntax.status, badRequest, errSyntax.err.Message)
	var at *gqlerror.Error
	if errors.As(err, &at) {
		r.err.Locations = at.Locations
	}
	return r
}

// Refuse answers in this edge's format what an httpx.Middleware stops before it.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	httpx.SetRetryAfter(w.Header(), err)
	writeErrors(w, httpx.Status(err), &gqlerror.Error{Message: httpx.PublicMessage(err), Extensions: extensions(err)})
}
