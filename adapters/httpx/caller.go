package httpx

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/domain/user"
)

// credential is the credential of one request and, once resolved, its caller.
// It is resolved on first use and only once, because that may read a store.
type credential struct {
	token       string
	malformed   bool // an Authorization header other than "Bearer <token>"
	fromCookie  bool
	clearCookie func() // removes a dead token from the browser; nil for a header

	once   sync.Once
	auth   Authenticator
	caller user.Caller
	err    error
}

type credentialKey struct{}

func credentialOf(ctx context.Context) *credential {
	c, _ := ctx.Value(credentialKey{}).(*credential)
	return c
}

// CallerFrom returns who makes the request. A request without a credential has
// the zero Caller and no error; a credential that is not a valid access token is
// user.ErrUnauthenticated, and that of a third-party client is user.ErrForbidden.
func CallerFrom(ctx context.Context) (user.Caller, error) {
	by, err := AnyCallerFrom(ctx)
	if err == nil && by.Limited() {
		return user.Caller{From: by.From}, user.ErrForbidden
	}
	return by, err
}

// MarketCallerFrom is CallerFrom for the marketplace, where personal access tokens act as their users.
func MarketCallerFrom(ctx context.Context) (user.Caller, error) {
	by, err := AnyCallerFrom(ctx)
	if by = by.InMarket(); err == nil && by.Limited() {
		return user.Caller{From: by.From}, user.ErrForbidden
	}
	return by, err
}

// AnyCallerFrom is CallerFrom that also returns limited callers. Use it only where the result
// depends on their scopes.
func AnyCallerFrom(ctx context.Context) (user.Caller, error) {
	c := credentialOf(ctx)
	if c == nil {
		return user.Caller{From: ClientInfo(ctx)}, nil
	}
	c.once.Do(func() { c.resolve(ctx) })
	return c.caller, c.err
}

// Reauthenticate checks the request's credential again. Long-lived streams call
// it from time to time, because CallerFrom caches its first result. It returns
// user.ErrUnauthenticated if the credential is no longer valid or missing.
func Reauthenticate(ctx context.Context) error {
	c := credentialOf(ctx)
	if c == nil || c.malformed || c.token == "" || c.auth == nil {
		return user.ErrUnauthenticated
	}
	_, err := c.auth.Authenticate(ctx, c.token, ClientInfo(ctx))
	return err
}

// HasCookieCredential reports whether the request's credential came in a cookie.
func HasCookieCredential(ctx context.Context) bool {
	c := credentialOf(ctx)
	return c != nil && c.fromCookie
}

// HasCredential reports whether the request came with a credential, valid or not. The
// response to one without may be shown to everybody.
func HasCredential(ctx context.Context) bool { return credentialOf(ctx) != nil }

func (c *credential) resolve(ctx context.Context) {
	c.caller = user.Caller{From: ClientInfo(ctx)}
	switch {
	case c.malformed:
		c.caller.Unknown, c.err = true, user.ErrUnauthenticated
	case c.token == "":
	case c.auth == nil:
		c.caller.Unknown, c.err = true, user.ErrUnauthenticated
	default:
		caller, err := c.auth.Authenticate(ctx, c.token, ClientInfo(ctx))
		if err == nil && c.fromCookie && caller.Token { // a browser has a session of its own
			err = user.ErrUnauthenticated
		}
		if err != nil {
			c.caller.Unknown, c.err = true, err
			if c.clearCookie != nil && errors.Is(err, user.ErrUnauthenticated) {
				c.clearCookie()
			}
			return
		}
		c.caller = caller
	}
}

// withCredential attaches the request's credential. A header takes precedence
// over a cookie, even a malformed one.
func (m *Middleware) withCredential(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := m.readCredential(w, r)
		if c == nil {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), credentialKey{}, c)))
	})
}

// readCredential returns nil if the request has no credential. A refresh cookie
// alone counts as one: it identifies nobody, but the cross-origin check must
// protect it.
func (m *Middleware) readCredential(w http.ResponseWriter, r *http.Request) *credential {
	if headers, ok := r.Header["Authorization"]; ok {
		token, ok := bearerToken(headers)
		return &credential{token: token, malformed: !ok, auth: m.auth}
	}
	access := m.cookies.AccessToken(r)
	if access == "" && m.cookies.RefreshToken(r) == "" {
		return nil
	}
	return &credential{token: access, fromCookie: true, auth: m.auth, clearCookie: func() { m.cookies.clearAccessToken(w) }}
}

func bearerToken(headers []string) (string, bool) {
	if len(headers) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" || strings.Contains(token, " ") {
		return "", false
	}
	return token, true
}
