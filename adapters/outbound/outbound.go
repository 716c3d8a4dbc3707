// Package outbound connects to addresses that settings name: targets of webhooks and
// providers of sign-ins. Such settings decide where requests go from inside the network.
// Therefore every address is checked when the connection is made, after the name was
// resolved: a name cannot be one address for the check and another for the connection.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// ErrForbidden refuses a connection to an address that no setting may name.
var ErrForbidden = errors.New("the address is not allowed")

// neverAllowed are addresses that no target has: metadata services, multicast, and
// ranges that can embed an address of another kind.
var neverAllowed = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	// The metadata of Azure, Alibaba, and of AWS and Google over IPv6.
	"168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::/32", "fd20:ce::/32",
	"::/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	"fe80::/10", "fec0::/10", "ff00::/8",
)

// privateRanges are private networks and loopback addresses.
var privateRanges = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

func contains(all []netip.Prefix, addr netip.Addr) bool {
	for _, p := range all {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// Dialer connects to allowed addresses only: to public ones, and to this machine where the
// setting names it.
type Dialer struct {
	Private bool // permits private networks and names that resolve to this machine
	// Named says that strangers have named the address: it is not this machine, even if it says so.
	Named bool
}

// CheckHost refuses a host that is no allowed address. What a name stands for is checked when a connection is made.
func (d Dialer) CheckHost(host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return d.check(addr, d.meansLoopback(host))
	}
	if namesLoopback(host) && d.Named {
		return fmt.Errorf("%w: %s is this machine", ErrForbidden, host)
	}
	return nil
}

func (d Dialer) meansLoopback(host string) bool { return namesLoopback(host) && !d.Named }

// DialContext connects to host:port. The check runs on each address that the host
// resolves to, just before the connection to it is made.
func (d Dialer) DialContext(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	loopback := d.meansLoopback(host)
	dialer := net.Dialer{
		Timeout: 10 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			resolved, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %s", ErrForbidden, address)
			}
			return d.check(resolved.Addr(), loopback)
		},
	}
	return dialer.DialContext(ctx, network, hostPort)
}

// namesLoopback reports whether a host is a literal loopback address or localhost.
// A name that only a name server resolves to this machine does not count.
func namesLoopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// check permits or refuses one address. loopback reports whether the setting names
// this machine, which is a deliberate choice.
func (d Dialer) check(addr netip.Addr, loopback bool) error {
	addr = addr.Unmap().WithZone("")
	switch {
	case contains(neverAllowed, addr):
		return fmt.Errorf("%w: %s is never a target", ErrForbidden, addr)
	case contains(privateRanges, addr) && !d.Private && (!loopback || !addr.IsLoopback()):
		return fmt.Errorf("%w: %s is private, which needs private: true", ErrForbidden, addr)
	}
	return nil
}
