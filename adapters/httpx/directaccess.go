package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// DirectAccess recognises requests that come without a proxy and name one of this
// server's own hosts. It protects routes that require no sign-in and are meant
// for this machine or its network only.
//
// The Host header is checked because of DNS rebinding: another site can resolve
// its own name to a loopback address and then read every response as same-origin,
// but the browser still sends that site's name as Host.
type DirectAccess struct{ host string }

// NewDirectAccess returns a DirectAccess for the public address of the server,
// BASE_URL.
func NewDirectAccess(baseURL string) DirectAccess {
	u, err := url.Parse(baseURL)
	if err != nil {
		return DirectAccess{}
	}
	return DirectAccess{strings.ToLower(u.Hostname())}
}

// IsDirect reports whether the request came without a proxy and its Host is a
// loopback host or the host of BASE_URL.
func (d DirectAccess) IsDirect(r *http.Request) bool {
	host := strings.ToLower(hostname(r.Host))
	return (isLoopback(host) || host != "" && host == d.host) && !proxied(r.Header)
}

// IsLocal reports whether the request is direct and came from this machine.
func (d DirectAccess) IsLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && d.IsDirect(r)
}

var errNotDirect = fault.New(fault.Forbidden, "not_direct",
	"This page is available only without a proxy, at localhost or the host of BASE_URL.")

// Require passes direct requests to next and answers all others with 403.
func (d DirectAccess) Require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.IsDirect(r) {
			writePlainError(w, r, errNotDirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname strips port and brackets from a Host header.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// proxied reports whether a header shows that a proxy forwarded the request.
func proxied(h http.Header) bool {
	for name := range h {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded") {
			return true
		}
	}
	return false
}
