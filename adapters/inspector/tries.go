package inspector

import (
	"net/netip"
	"sync"
	"time"
)

const (
	maxTries   = 10 // tokens that a client may try in a minute
	maxClients = 10_000
)

// tries limits how often a client may try a token in a minute. Beyond maxClients, new
// clients share one limit, so that many addresses give neither memory nor attempts without
// end.
type tries struct {
	now func() time.Time

	mu       sync.Mutex
	until    time.Time // when the minute ends, for all clients
	byClient map[netip.Prefix]int
}

// allow counts an attempt and reports whether it is within the limit.
func (t *tries) allow(ip string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, client := t.now(), network(ip)
	if !now.Before(t.until) {
		t.until, t.byClient = now.Add(time.Minute), map[netip.Prefix]int{}
	}
	if _, known := t.byClient[client]; !known && len(t.byClient) >= maxClients {
		client = netip.Prefix{}
	}
	t.byClient[client]++
	return t.byClient[client] <= maxTries
}

// forget clears the attempts of a client that has the token.
func (t *tries) forget(ip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byClient, network(ip))
}

// network returns the unit of limiting: one IPv4 address, or the /64 that an IPv6
// subscriber has to itself.
func network(ip string) netip.Prefix {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}
