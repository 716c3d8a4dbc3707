package httpx

import (
	"net/http"
	"net/netip"
	"strings"
)

// maxHops limits how many elements of X-Forwarded-For are parsed.
const maxHops = 32

// clientAddress returns the client's address in canonical form, "" if the
// connection has none. It reads X-Forwarded-For from the right and stops at the
// first address that is not a trusted proxy: a client can forge everything to
// the left of its own address.
func clientAddress(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	client := canonical(peer.Addr())
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && i >= len(hops)-maxHops && contains(trusted, client); i-- {
		next, ok := parseHop(hops[i])
		if !ok {
			break
		}
		client = next
	}
	return client.String()
}

// parseHop parses one element: an address, optionally with a port.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return canonical(a), true
	}
	if p, err := netip.ParseAddrPort(s); err == nil {
		return canonical(p.Addr()), true
	}
	return netip.Addr{}, false
}

// canonical drops the zone and unwraps an IPv4 address mapped into IPv6.
func canonical(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

func contains(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
