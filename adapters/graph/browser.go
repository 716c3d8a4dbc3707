package graph

import (
	"context"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
)

// browserSession holds the cookies of one request and its response.
type browserSession struct {
	w       http.ResponseWriter
	r       *http.Request
	cookies httpx.Cookies
}

type browserKey struct{}

func withBrowser(ctx context.Context, b *browserSession) context.Context {
	return context.WithValue(ctx, browserKey{}, b)
}

// browserOf returns the browserSession, which the handler puts into the context of
// every resolver.
func browserOf(ctx context.Context) *browserSession { return ctx.Value(browserKey{}).(*browserSession) }

// setTokens sets the cookies to a token pair. The last token pair of a request wins: it
// replaces the cookies of an earlier operation of the same request.
func (b *browserSession) setTokens(g auth.TokenPair) {
	b.w.Header().Del("Set-Cookie")
	b.cookies.SetTokens(b.w, httpx.Tokens{
		Access: g.AccessToken, AccessFor: g.ExpiresIn,
		Refresh: g.RefreshToken, RefreshFor: g.Session.ExpiresAt().Sub(g.Session.LastUsedAt),
		Device: g.Device, DeviceFor: session.DeviceLifetime,
	})
}

// clearTokens deletes the cookies.
func (b *browserSession) clearTokens() {
	b.w.Header().Del("Set-Cookie")
	b.cookies.ClearTokens(b.w)
}

// refreshToken returns the refresh token of the cookies. It is "" if the client sent an
// Authorization header, because cookies do not rescue a bad header.
func (b *browserSession) refreshToken() string {
	if _, byHeader := b.r.Header["Authorization"]; byHeader {
		return ""
	}
	return b.cookies.RefreshToken(b.r)
}
