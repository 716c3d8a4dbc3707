package httpx

import (
	"net/netip"
	"testing"
	"time"
)

func TestTheLimiterAllowsTheRateAndOneBurst(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(10, func() time.Time { return now })
	client := network("192.0.2.1")
	passed := 0
	for range 1000 { // ten seconds, a hundred requests a second
		if l.wait(client) == 0 {
			passed++
		}
		now = now.Add(10 * time.Millisecond)
	}
	if passed < 105 || passed > 110 {
		t.Errorf("%d passed in ten seconds at ten a second and a burst of ten", passed)
	}
}

func TestARateBelowOnePerSecondAllowsOneRequest(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(0.1, func() time.Time { return now })
	if l.wait(network("192.0.2.1")) != 0 || l.wait(network("192.0.2.1")) != 10*time.Second {
		t.Error("one request in ten seconds is not limited to that")
	}
}

func TestTheLimiterForgetsIdleClients(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(1, func() time.Time { return now })
	for i := range maxClients {
		l.wait(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32))
	}
	if l.wait(network("192.0.2.1")) != 0 || len(l.due) != maxClients {
		t.Errorf("%d clients are remembered", len(l.due))
	}
	now = now.Add(time.Minute)
	if l.wait(network("192.0.2.1")) != 0 || len(l.due) != 1 {
		t.Errorf("%d clients are remembered after a minute", len(l.due))
	}
}

func FuzzClientAddress(f *testing.F) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Add("203.0.113.9, 10.0.0.1")
	f.Add("[::1]:80,,%%")
	f.Fuzz(func(t *testing.T, forwarded string) {
		a, ok := parseHop(forwarded)
		if ok && (a.Zone() != "" || a.Is4In6()) {
			t.Errorf("%q is not canonical: %v", forwarded, a)
		}
		if p := network(forwarded); p.IsValid() && !p.Masked().IsValid() {
			t.Errorf("%q: %v", forwarded, p)
		}
		_ = contains(trusted, a)
	})
}
