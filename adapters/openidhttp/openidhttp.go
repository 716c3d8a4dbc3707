// Package openidhttp serves the endpoints of the OpenID provider that programs call, over
// net/http: OpenID Connect Core and Discovery, OAuth 2.0 (RFC 6749) with PKCE (RFC 7636), bearer
// tokens (RFC 6750), revocation (RFC 7009), introspection (RFC 7662), metadata (RFC 8414) and the
// issuer in answers (RFC 9207). The pages that people see are those of adapters/web.
package openidhttp

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Options are the other dependencies. All are required.
type Options struct {
	Issuer  string // of all tokens
	BaseURL string // prefix of the endpoints, without a trailing slash
	// Algorithms returns those with which ID tokens can be signed.
	Algorithms func() ([]string, error)
	// AssertionAlgorithms are those with which machines may sign assertions.
	AssertionAlgorithms []string
	// Caller returns the user of the browser. It is the zero Caller if nobody is signed in.
	Caller func(http.ResponseWriter, *http.Request) (user.Caller, error)
	// Reopen reports whether it has shown a page that asks again, because the browser withheld
	// the cookies of a caller who may be signed in.
	Reopen func(http.ResponseWriter, *http.Request, user.Caller) bool
	// Carry lets the browser keep a sealed request and returns a key for it.
	Carry func(w http.ResponseWriter, r *http.Request, sealed string) (key string)
	// SetLang makes a language that of the browser's pages.
	SetLang func(w http.ResponseWriter, lang string)
	// ShowError shows the user a page with an error that must not be sent to a client.
	ShowError func(http.ResponseWriter, *http.Request, error)
	Log       *slog.Logger
}

// Handler serves the endpoints.
type Handler struct {
	*authrooms.Auth
	Options
}

// Route is one route. Its path has no parameters.
type Route struct {
	Method, Path string
	Handler      http.HandlerFunc
}

// The paths of the endpoints.
const (
	Base           = "/oauth2"
	authorizePath  = Base + "/authorize"
	tokenPath      = Base + "/token"
	userInfoPath   = Base + "/userinfo"
	revokePath     = Base + "/revoke"
	introspectPath = Base + "/introspect"
	endSessionPath = Base + "/end_session"
	consentPath    = Base + "/consent"
)

// Routes returns all routes.
func (h *Handler) Routes() []Route {
	return append(h.serviceLogoutRoutes(), []Route{
		{http.MethodGet, "/.well-known/openid-configuration", h.metadata},
		{http.MethodGet, "/.well-known/oauth-authorization-server", h.metadata},
		{http.MethodGet, authorizePath, h.authorize},
		{http.MethodPost, authorizePath, h.authorizeByPost},
		{http.MethodPost, tokenPath, h.withCORS(h.token)},
		{http.MethodOptions, tokenPath, h.preflight},
		{http.MethodGet, userInfoPath, h.withCORS(h.userInfo)},
		{http.MethodPost, userInfoPath, h.withCORS(h.userInfo)},
		{http.MethodOptions, userInfoPath, h.preflight},
		{http.MethodPost, revokePath, h.withCORS(h.revoke)},
		{http.MethodOptions, revokePath, h.preflight},
		{http.MethodPost, introspectPath, h.introspect},
	}...)
}

// authorize serves GET /oauth2/authorize. It ignores a token in a header, which proves nothing
// about the person in front of the browser.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		h.ShowError(w, r, errMalformed)
		return
	}
	var by user.Caller
	if _, header := r.Header["Authorization"]; !header {
		if by, err = h.Caller(w, r); err != nil {
			h.ShowError(w, r, err)
			return
		}
		if h.Reopen(w, r, by) {
			return
		}
	}
	by.From = httpx.ClientInfo(r.Context())
	step, err := h.Authorizations.Begin(r.Context(), by, parameters)
	if err != nil {
		h.ShowError(w, r, err)
		return
	}
	to := step.Answer
	if to == "" && step.Lang != "" {
		h.SetLang(w, string(step.Lang))
	}
	if to == "" && step.SignIn {
		to = consentPath + "?" + url.Values{"request": {h.Carry(w, r, step.Pending)}}.Encode()
	}
	if to == "" {
		to = consentPath + "?" + url.Values{"request": {step.Pending}}.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

var errMalformed = fault.New(fault.Invalid, "invalid_request", "The request of the application is malformed.")

// maxForm bounds the size of a form.
const maxForm = 64 << 10

// authorizeByPost serves POST /oauth2/authorize. A browser sends no cookies with the form of
// another site, so this redirects to the same request by GET.
func (h *Handler) authorizeByPost(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	form, err := readForm(w, r)
	if err != nil || len(form.Encode()) > 8<<10 {
		h.ShowError(w, r, errMalformed)
		return
	}
	http.Redirect(w, r, authorizePath+"?"+form.Encode(), http.StatusSeeOther)
}

// writeJSON writes a document that no cache may keep.
func writeJSON(w http.ResponseWriter, status int, v any) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	body, err := json.Marshal(v)
	if err != nil { // cannot happen: all documents marshal
		status, body = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
