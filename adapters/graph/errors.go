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

// The codes that this package returns itself.
const (
	badRequest      = "BAD_REQUEST"
	queryTooComplex = "QUERY_TOO_COMPLEX"
	notFound        = "NOT_FOUND"
	unavailable     = "UNAVAILABLE"
	internal        = "INTERNAL"
)

// contractCodes are the codes of the contract. An error of the core with any other code
// gets the code of its kind.
var contractCodes = map[string]bool{
	"UNAUTHENTICATED": true, "FORBIDDEN": true, "INVALID_CREDENTIALS": true, "EMAIL_INVALID": true, "PASSWORD_INVALID": true,
	"CODE_INVALID": true, "SESSION_INVALID": true, "REGISTRATION_DISABLED": true, "RATE_LIMITED": true, notFound: true,
	"CANNOT_DELETE_SELF": true, "SECOND_FACTOR_REQUIRED": true, "CHALLENGE_INVALID": true, "PASSKEY_INVALID": true,
	"SUSPENDED": true, "SSO_REQUIRED": true,
	queryTooComplex: true, badRequest: true, unavailable: true, internal: true,
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

// extensions returns the code of an error, when to retry and what else the client needs.
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
	for name, value := range f.Details {
		ext[name] = value
	}
	if f.Kind == fault.Limited || f.Kind == fault.Unavailable {
		ext["retryAfter"] = httpx.RetryAfterSeconds(err)
	}
	return ext
}

// present returns the error that a client sees for one that occurred during execution.
// An error of the core has its code. Any other one is gqlgen's and about the arguments,
// because resolve and recovered let nothing else through.
func present(_ context.Context, err error) *gqlerror.Error {
	shown := &gqlerror.Error{Message: httpx.PublicMessage(err), Extensions: extensions(err)}
	var original *gqlerror.Error
	if !errors.As(err, &original) {
		return shown
	}
	shown.Path, shown.Locations = original.Path, original.Locations
	if fault.As(err) == nil {
		shown.Message, shown.Extensions = withoutSuggestion(original.Message), map[string]any{"code": badRequest}
	}
	return shown
}

// withoutSuggestion removes the suggested names, which would reveal the schema.
func withoutSuggestion(msg string) string {
	msg, _, _ = strings.Cut(msg, " Did you mean")
	return msg
}

// refusal rejects a whole request before anything is executed.
type refusal struct {
	status int
	err    *gqlerror.Error
}

func (r *refusal) Error() string { return r.err.Message }

func refuse(status int, code, msg string) *refusal {
	return &refusal{status, &gqlerror.Error{Message: msg, Extensions: map[string]any{"code": code}}}
}

// syntaxError reports the location of an error but does not quote the document.
func syntaxError(err error) *refusal {
	r := refuse(errSyntax.status, badRequest, errSyntax.err.Message)
	var at *gqlerror.Error
	if errors.As(err, &at) {
		r.err.Locations = at.Locations
	}
	return r
}

// Refuse writes an error with which an httpx.Middleware refuses a request, in the format of
// GraphQL.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	httpx.SetRetryAfter(w.Header(), err)
	writeErrors(w, httpx.Status(err), &gqlerror.Error{Message: httpx.PublicMessage(err), Extensions: extensions(err)})
}
