package contract

import (
	"context"
	"errors"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketCurrency(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a market with prices keeps its currency":                   aMarketWithPricesKeepsItsCurrency,
		"of two servers the first that writes chooses the currency": theFirstThatWritesChoosesTheCurrency,
	})
}

func aMarketWithPricesKeepsItsCurrency(t *testing.T, b *MarketFixture) {
	keep := func(code, want string) {
		t.Helper()
		c, err := money.ParseCurrency(code)
		must.Do(t, err)
		var kept string
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
			kept, err = s.KeepCurrency(ctx, c)
			return err
		}))
		if kept != want {
			t.Errorf("with %s the market has %s, want %s", code, kept, want)
		}
	}
	keep("USD", "USD")
	keep("GBP", "GBP") // nothing has a price yet
	keep("GBP", "GBP")
	ann := b.Join(t, "ann", user.Regular)
	must.Get2(b.Requests.Add(t.Context(), ann, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}))(t)
	keep("JPY", "JPY") // a request without a price
	listings, requests, _ := b.withCurrency(t, "JPY")
	must.Get2(requests.Add(t.Context(), ann, book.RequestDraft{Name: "Topology", Course: "MTH 440", MaxPrice: ptr(money.Amount(900))}))(t)
	keep("USD", "JPY")
	v := must.Get(listings.Post(t.Context(), ann, Draft("Calculus", "MTH 161", 1000)))(t)
	must.Get(listings.Unlist(t.Context(), ann, v.ID))(t)
	keep("USD", "JPY")
	keep("JPY", "JPY")
}

// withCurrency returns the use cases of another process that has this currency.
func (b *MarketFixture) withCurrency(t testing.TB, code string) (*selling.Listings, *finding.Requests, *buying.Checkout) {
	t.Helper()
	c := must.Get(money.ParseCurrency(code))(t)
	deps := b.Deps
	deps.Currency, deps.Guard = c, new(market.CurrencyGuard)
	all := b.Over(deps)
	return all.Listings, all.Requests, all.Checkout
}

func theFirstThatWritesChoosesTheCurrency(t *testing.T, b *MarketFixture) {
	dollars, _, sell := b.withCurrency(t, "USD")
	pounds, wishes, buy := b.withCurrency(t, "GBP")
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := must.Get(dollars.Post(t.Context(), ann, Draft("Calculus", "MTH 161", 1000)))(t)
	wanted := book.RequestDraft{Name: "Topology", Course: "MTH 440", MaxPrice: ptr(money.Amount(900))}
	_, err1 := pounds.Post(t.Context(), ann, Draft("Topology", "MTH 440", 1000))
	_, _, err2 := wishes.Add(t.Context(), bob, wanted)
	_, err3 := buy.Do(t.Context(), bob, buying.Basket{Books: []book.ID{v.ID}})
	for i, err := range []error{err1, err2, err3} {
		if !errors.Is(err, market.ErrOtherCurrency) {
			t.Errorf("call %d in pounds: %v, want %v", i+1, err, market.ErrOtherCurrency)
		}
	}
	wanted.MaxPrice = nil
	must.Get2(wishes.Add(t.Context(), bob, wanted))(t)
	must.Get(sell.Do(t.Context(), bob, buying.Basket{Books: []book.ID{v.ID}}))(t)
}
