package outbound

import (
	"net/netip"
	"testing"
)

func TestAnAddressIsAllowedByItsRange(t *testing.T) {
	for address, want := range map[string]struct{ public, private, literal bool }{
		"93.184.215.14":          {true, true, true},
		"2606:2800:21f:cb07::1":  {true, true, true},
		"127.0.0.1":              {false, true, true},
		"127.8.9.10":             {false, true, true},
		"::1":                    {false, true, true},
		"::ffff:127.0.0.1":       {false, true, true},
		"10.1.2.3":               {false, true, false},
		"172.31.255.255":         {false, true, false},
		"192.168.1.1":            {false, true, false},
		"100.64.0.1":             {false, true, false},
		"fd00::1":                {false, true, false},
		"::ffff:10.0.0.1":        {false, true, false},
		"169.254.169.254":        {},
		"::ffff:169.254.169.254": {},
		"168.63.129.16":          {}, // Azure
		"::ffff:168.63.129.16":   {},
		"168.63.129.17":          {true, true, true},
		"100.100.100.200":        {}, // Alibaba
		"100.100.100.201":        {false, true, false},
		"fd00:ec2::254":          {}, // AWS
		"fd00:ec2::23":           {},
		"fd00:ec3::254":          {false, true, false},
		"fd20:ce::254":           {}, // Google
		"fe80::1":                {},
		"fe80::1%eth0":           {},
		"0.0.0.0":                {},
		"::":                     {},
		"224.0.0.1":              {},
		"255.255.255.255":        {},
		"64:ff9b::7f00:1":        {},
		"2002:7f00:1::":          {},
		"2001:0:1::":             {},
		"198.18.0.1":             {},
	} {
		addr := netip.MustParseAddr(address)
		if got := (Dialer{}).check(addr, false) == nil; got != want.public {
			t.Errorf("%s behind a name: %v, want %v", address, got, want.public)
		}
		if got := (Dialer{Private: true}).check(addr, false) == nil; got != want.private {
			t.Errorf("%s with private: %v, want %v", address, got, want.private)
		}
		if got := (Dialer{}).check(addr, true) == nil; got != want.literal {
			t.Errorf("%s named as this machine: %v, want %v", address, got, want.literal)
		}
	}
}
