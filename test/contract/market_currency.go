package contract

import (
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

func marketCurrency(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){"a market with prices keeps its currency": aMarketWithPricesKeepsItsCurrency})
}

func aMarketWithPricesKeepsItsCurrency(t *testing.T, b *MarketFixture) {
	keep := func(code, want string) {
		t.Helper()
		c, err := money.ParseCurrency(code)
		succeed(t, err)
		if kept, err := b.Ports.KeepCurrency(t.Context(), c); err != nil || kept != want {
			t.Errorf("with %s the market has %s, %v; want %s", code, kept, err, want)
		}
	}
	keep("USD", "USD")
	keep("GBP", "GBP") // nothing has a price yet
	keep("GBP", "GBP")
	ann := b.Join(t, "ann", user.Regular)
	_, _, err := b.Requests.Add(t.Context(), ann, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	succeed(t, err)
	keep("JPY", "JPY") // a request without a price
	_, _, err = b.Requests.Add(t.Context(), ann, book.RequestDraft{Name: "Topology", Course: "MTH 440", MaxPrice: ptr(money.Amount(900))})
	succeed(t, err)
	keep("USD", "JPY")
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	_, err = b.Listings.Unlist(t.Context(), ann, v.ID)
	succeed(t, err)
	keep("USD", "JPY")
	keep("JPY", "JPY")
}
