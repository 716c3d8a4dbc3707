package openidhttp

import (
	"net/http"
	"slices"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

// failure is the body of an error (RFC 6749, section 5.2).
type failure struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// ofClients lists the error codes of the specifications; any other error is the server's.
var ofClients = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unsupported_grant_type", "invalid_scope", "invalid_token", "insufficient_scope",
	"unauthorized_client", "invalid_target",
}

// Refuse writes an error of the middleware as the endpoints do.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) { writeError(w, err) }

func writeError(w http.ResponseWriter, err error) {
	refusal := fault.As(err)
	switch {
	case refusal != nil && slices.Contains(ofClients, refusal.Code):
		writeJSON(w, httpx.Status(err), failure{refusal.Code, refusal.Msg})
	case refusal != nil && (refusal.Kind == fault.Unavailable || refusal.Kind == fault.Limited):
		httpx.SetRetryAfter(w.Header(), err)
		writeJSON(w, httpx.Status(err), failure{"temporarily_unavailable", refusal.Msg})
	case refusal != nil:
		writeJSON(w, httpx.Status(err), failure{"invalid_request", refusal.Msg})
	default:
		writeJSON(w, http.StatusInternalServerError, failure{"server_error", "Something went wrong."})
	}
}

// fail writes an error and logs it if it is the server's.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if fault.As(err) == nil {
		h.Log.ErrorContext(r.Context(), "an OpenID endpoint failed", "path", r.URL.Path, "error", err)
	}
	writeError(w, err)
}
