package identity_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

func TestOnlyAddressesOfAnAllowedDomainAreAdmitted(t *testing.T) {
	p := identity.Provider{Domains: []string{"example.edu", "*.campus.edu", "xn--bcher-kva.example"}}
	for address, want := range map[string]bool{
		"ann@example.edu": true, "ann@cs.campus.edu": true, "ann@a.b.campus.edu": true, "ann@xn--bcher-kva.example": true,
		"ann@campus.edu": false, "ann@notcampus.edu": false, "ann@sub.example.edu": false, "ann@example.edu.evil.org": false,
		"ann@evilexample.edu": false, "ann@campus.edu.evil.org": false, "*.campus.edu@evil.org": false,
	} {
		if got := p.Admits(user.Email(address)); got != want {
			t.Errorf("%s is admitted: %t", address, got)
		}
	}
	if !(identity.Provider{}).Admits("ann@anywhere.org") {
		t.Error("without domains an address is refused")
	}
}

func TestADomainIsExactOrAllBelowIt(t *testing.T) {
	for in, want := range map[string]string{"Example.EDU": "example.edu", "*.Example.edu": "*.example.edu", "xn--bcher-kva.example": "xn--bcher-kva.example"} {
		if got, err := identity.ParseDomain(in); err != nil || got != want {
			t.Errorf("%q is %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "edu", "*", "*.", "*.edu", "*example.edu", "a.*.edu", "@example.edu", "bücher.example", "еxample.edu", " example.edu", "example.edu ", "example..edu", "1.2.3.4", "a@example.edu"} {
		if got, err := identity.ParseDomain(in); err == nil {
			t.Errorf("%q is taken for %q", in, got)
		}
	}
}
