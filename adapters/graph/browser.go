package graph

import (
	"context"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
)

// browserSession is the browser's side of one request: what it sent and what it keeps.
type browserSession struct {
	w       http.ResponseWriter
	r       *http.Request
	cookies httpx.Cookies
}

type visitKey struct{}

func withBrowser(ctx context.Context, v *browserSession) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// browserOf finds the visit; the handler has put it there for every resolver.
func browserOf(ctx context.Context) *browserSession { return ctx.Value(visitKey{}).(*browserSession) }

// setTokens gives the tokens of a grant to the browser. The last grant of a request
// wins, so what an earlier operation of the same request set is dropped.
func (v *browserSession) setTokens(g auth.TokenPair) {
	v.w.Header().Del("Set-Cookie")
	v.cookies.SetTokens(v.w, httpx.Tokens{
		Access: g.AccessToken, AccessFor: g.ExpiresIn,
		Refresh: g.RefreshToken, RefreshFor: g.Session.ExpiresAt().Sub(g.Session.LastUsedAt),
	})
}

// clearTokens takes the tokens back.
func (v *browserSession) clearTokens() {
	v.w.Header().Del("Set-Cookie")
	v.cookies.ClearTokens(v.w)
}

// refreshToken is the one among the cookies, "" if there is none or if the client
// presents itself by a header, which no cookie rescues.
func (v *browserSession) refreshToken() string {
	if _, byHeader := v.r.Header["Authorization"]; byHeader {
		return ""
	}
	return v.cookies.RefreshToken(v.r)
}
