package httpkit

import (
	"net/http"
	"net/netip"
	"strings"
)

// maxHops bounds how much of X-Forwarded-For is read.
const maxHops = 32

// clientAddress is the address of the client in canonical form, "" when the
// connection has none. X-Forwarded-For counts only as far as it was written by
// proxies we trust: it is read from the right, and the first address that is
// not a trusted proxy is the client, whatever stands left of it.
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

// parseHop reads one element: an address, perhaps with a port.
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
