package httpkit

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Direct recognises requests that reach the program directly and under a name of
// its own. It protects what is served without a sign-in and is meant for this
// machine or its network only.
//
// The name counts because of DNS rebinding: a page of another site can let its own
// name resolve to a loopback address and then read every answer as its own, but
// the browser still sends that site's name as Host.
type Direct struct{ host string }

// NewDirect takes the address that people call the program by: BASE_URL.
func NewDirect(baseURL string) Direct {
	u, err := url.Parse(baseURL)
	if err != nil {
		return Direct{}
	}
	return Direct{strings.ToLower(u.Hostname())}
}

// Reached reports whether the request came without a proxy, and asks for a
// loopback host or for that of BASE_URL.
func (d Direct) Reached(r *http.Request) bool {
	host := strings.ToLower(hostname(r.Host))
	return (isLoopback(host) || host != "" && host == d.host) && !proxied(r.Header)
}

// ReachedLocally reports whether the request also came from this machine.
func (d Direct) ReachedLocally(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && d.Reached(r)
}

var errNotDirect = fault.New(fault.Forbidden, "not_direct",
	"This page answers only without a proxy, at localhost or the host of BASE_URL.")

// Only passes on what reaches the program directly.
func (d Direct) Only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.Reached(r) {
			refusePlainly(w, r, errNotDirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname is a Host header without its port and brackets.
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

// proxied reports whether a proxy says that it passed the request on.
func proxied(h http.Header) bool {
	for name := range h {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded") {
			return true
		}
	}
	return false
}
