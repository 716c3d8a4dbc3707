package httpkit

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/domain/user"
)

// credential is what a request presented, and who that turned out to be. The
// token is looked at only when somebody asks, and once.
type credential struct {
	token    string
	bad      bool // a header that is not "Bearer <token>"
	byCookie bool
	drop     func() // takes a dead token back from the browser; nil where it came by header

	once   sync.Once
	auth   Authenticator
	caller user.Caller
	err    error
}

type credentialKey struct{}

// CallerFrom says who makes the request: the zero Caller and no error when
// nothing was presented, user.ErrUnauthenticated when what was presented is no
// live access token.
func CallerFrom(ctx context.Context) (user.Caller, error) {
	c, _ := ctx.Value(credentialKey{}).(*credential)
	if c == nil {
		return user.Caller{From: Source(ctx)}, nil
	}
	c.once.Do(func() { c.resolve(ctx) })
	return c.caller, c.err
}

func (c *credential) resolve(ctx context.Context) {
	c.caller = user.Caller{From: Source(ctx)}
	switch {
	case c.bad:
		c.err = user.ErrUnauthenticated
	case c.token == "":
	case c.auth == nil:
		c.err = user.ErrUnauthenticated
	default:
		caller, err := c.auth.Authenticate(ctx, c.token, Source(ctx))
		if err != nil {
			c.err = err
			if c.drop != nil && errors.Is(err, user.ErrUnauthenticated) {
				c.drop()
			}
			return
		}
		c.caller = caller
	}
}

// ByCookie reports whether the request presents itself by cookies.
func ByCookie(ctx context.Context) bool {
	c, _ := ctx.Value(credentialKey{}).(*credential)
	return c != nil && c.byCookie
}

// credentials notes what the request presents. A header counts before a cookie,
// and a bad header is not rescued by one.
func (k *Kit) credentials(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := k.read(w, r)
		if c == nil {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), credentialKey{}, c)))
	})
}

// read finds the credential, nil if there is none. A refresh cookie alone is
// one too: it cannot sign a request in, but what it can do is done by cookie.
func (k *Kit) read(w http.ResponseWriter, r *http.Request) *credential {
	if headers, ok := r.Header["Authorization"]; ok {
		token, ok := bearer(headers)
		return &credential{token: token, bad: !ok, auth: k.auth}
	}
	access := k.cookies.Access(r)
	if access == "" && k.cookies.Refresh(r) == "" {
		return nil
	}
	return &credential{token: access, byCookie: true, auth: k.auth, drop: func() { k.cookies.clearAccess(w) }}
}

func bearer(headers []string) (string, bool) {
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
