package demo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/demo"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func TestACampusFitsTheDomainsAndTheCurrencyOfTheMarket(t *testing.T) {
	file := must.Get(campus.ParseFile("ox.ac.uk, University of Oxford\ncam.ac.uk, University of Cambridge\n"))(t)
	for name, c := range map[string]struct {
		domains  string
		file     campus.Domains
		currency string
		names    []string // some of the universities
		from, to float64  // of the median price, in units of the currency
	}{
		"dollars for edu":       {"edu", file, "USD", []string{"Northfield University", "Harbor State University"}, 20, 80},
		"pounds for ac.uk":      {"ac.uk", file, "GBP", []string{"University of Northfield", "Harbour Metropolitan University"}, 15, 65},
		"yen for ac.jp":         {"ac.jp", file, "JPY", []string{"Northfield University"}, 3_000, 12_000},
		"dinars for two":        {"edu.kw, edu", file, "KWD", []string{"Northfield University"}, 5, 25},
		"rupees, a low maximum": {"ac.in", file, "INR", []string{"Northfield University"}, 20, 8_000},
		"named universities":    {"", file, "GBP", []string{"University of Oxford", "University of Cambridge"}, 15, 65},
	} {
		cfg := config(1500, 100)
		if cfg.Campus = c.file; c.domains != "" {
			cfg.Campus = must.Get(campus.Parse(c.domains))(t)
		}
		cfg.Currency = must.Get(money.ParseCurrency(c.currency))(t)
		m := fill(t, cfg)
		fitsItsDomains(t, name, cfg, m, c.names)
		if middle := medianPrice(t, name, cfg, m); middle < c.from || middle > c.to {
			t.Errorf("%s: the median price is %g", name, middle)
		}
	}
}

// fitsItsDomains requires addresses of the market, at the universities that the domains name.
func fitsItsDomains(t *testing.T, name string, cfg demo.Config, m *memory, universities []string) {
	t.Helper()
	var names []string
	for _, u := range m.Users {
		if !cfg.Campus.Admits(u.Email) || strings.Count(string(u.Email), ".example.")+strings.Count(string(u.Email), "@example.") != 1 {
			t.Errorf("%s: %s is not an address of the market", name, u.Email)
		}
		if known := cfg.Campus.University(u.Email); known != "" && known != u.Profile.University {
			t.Errorf("%s: %s is at %s", name, u.Email, u.Profile.University)
		}
		names = append(names, u.Profile.University)
	}
	if m.Users[0].Email != cfg.OwnerEmail() || m.Users[0].Role != user.Owner || m.Users[1].Email != cfg.AdminEmail() {
		t.Errorf("%s: the owner is %s", name, m.Users[0].Email)
	}
	for _, want := range universities {
		if !slices.Contains(names, want) {
			t.Errorf("%s: nobody is at %s", name, want)
		}
	}
}

// medianPrice returns the median price in units of the currency. Prices differ, and each is valid.
func medianPrice(t *testing.T, name string, cfg demo.Config, m *memory) float64 {
	t.Helper()
	unit := money.Amount(1)
	for range cfg.Currency.Decimals() {
		unit *= 10
	}
	var prices []money.Amount
	for _, b := range m.Books {
		if prices = append(prices, b.Price); !book.ValidPrice(b.Price) {
			t.Errorf("%s: a book costs %s", name, cfg.Currency.Format(b.Price))
		}
	}
	slices.Sort(prices)
	if prices[0] == prices[len(prices)-1] {
		t.Errorf("%s: every book costs %s", name, cfg.Currency.Format(prices[0]))
	}
	return float64(prices[len(prices)/2]) / float64(unit)
}
