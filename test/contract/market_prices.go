package contract

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

const (
	calculusISBN = "978-0-306-40615-7"
	algebraISBN  = "978-3-16-148410-0"
)

func marketPrices(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a hint falls back from ISBN to course to title":            hintFallsBack,
		"a hint says how soon copies at the usual prices sell":      hintSaysHowSoon,
		"only delivered sales of the last two years count":          hintCountsDelivered,
		"sales between the same two people count once a month":      hintCountsPairsOnce,
		"a hint is of the book as it was sold":                      hintOfSoldBook,
		"a hint distinguishes C++ from C#":                          hintDistinguishesSymbols,
		"an invalid query is refused with every invalid field":      hintRefuses,
		"the store lists a bounded number of sales, the last first": salesAreBounded,
		"a deleted buyer's purchase still counts for the hint":      hintAfterDeletion,
	})
}

// seller sells books, each to a buyer of its own.
type seller struct {
	*MarketFixture
	by, dean user.Caller
	buyers   int
}

func (b *MarketFixture) aSeller(t *testing.T) *seller {
	t.Helper()
	return &seller{MarketFixture: b, by: b.Join(t, "sue", user.Regular), dean: b.Join(t, "dean", user.Admin)}
}

// sell sells a book to a new user, and returns it and its buyer.
func (s *seller) sell(t *testing.T, d book.Draft) (market.BookView, user.Caller) {
	t.Helper()
	s.buyers++
	buyer := s.Join(t, fmt.Sprint("buyer", s.buyers), user.Regular)
	v := s.Post(t, s.by, d)
	s.Buy(t, buyer, v.ID)
	return v, buyer
}

// deliver sells a book to a new user and delivers it.
func (s *seller) deliver(t *testing.T, d book.Draft) (market.BookView, user.Caller) {
	t.Helper()
	v, buyer := s.sell(t, d)
	s.finish(t, v)
	return v, buyer
}

func (s *seller) finish(t *testing.T, v market.BookView) {
	t.Helper()
	must.Get(s.Orders.Confirm(t.Context(), s.dean, v.ID))(t)
	must.Get(s.Orders.SetPaid(t.Context(), s.dean, v.ID))(t)
}

func withISBN(d book.Draft, isbn string) book.Draft {
	d.ISBN = isbn
	return d
}

func (b *MarketFixture) expectHint(t *testing.T, q selling.PriceQuery, want order.PriceHint) {
	t.Helper()
	got := must.Get(b.Prices.Hint(t.Context(), user.Caller{}, q))(t)
	if want.Within == 0 { // hintSaysHowSoon is about it
		got.Within = 0
	}
	if got != want {
		t.Errorf("%+v: %+v, want %+v", q, got, want)
	}
}

func hintSaysHowSoon(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	const day = 24 * time.Hour
	for i, basis := range []string{calculusISBN, "", calculusISBN, "", calculusISBN, ""} {
		v := s.Post(t, s.by, withISBN(Draft("Calculus", "MATH 161", 10_00), basis))
		b.Clock.Advance(time.Duration(i+1) * day)
		s.buyers++
		b.Buy(t, s.Join(t, fmt.Sprint("buyer", s.buyers), user.Regular), v.ID)
		s.finish(t, v)
	}
	want := order.PriceHint{Basis: book.ByISBN, Count: 3, Low: 10_00, Median: 10_00, High: 10_00, Within: 5*day + time.Minute} // Buy takes one
	b.expectHint(t, selling.PriceQuery{ISBN: calculusISBN}, want)
	want.Basis, want.Count = book.ByCourse, 6
	b.expectHint(t, selling.PriceQuery{Course: "MATH 161"}, want)
	want.Basis = book.ByTitle
	b.expectHint(t, selling.PriceQuery{Name: "Calculus"}, want)
}

func hintFallsBack(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	for _, price := range []money.Amount{10_00, 20_00, 30_00} {
		s.deliver(t, withISBN(Draft("Calculus", "MATH 161", price), calculusISBN))
		s.deliver(t, Draft("Calculus Workbook", "math-161", price/10))
	}
	for _, price := range []money.Amount{7_00, 8_00, 9_00} {
		s.deliver(t, Draft("Topology: A First Course", "MATH 440", price))
	}
	s.deliver(t, withISBN(Draft("Topology: A First Course", "MATH 441", 50_00), algebraISBN))
	byISBN := order.PriceHint{Basis: book.ByISBN, Count: 3, Low: 15_00, Median: 20_00, High: 25_00}
	b.expectHint(t, selling.PriceQuery{ISBN: "0-306-40615-2"}, byISBN)
	b.expectHint(t, selling.PriceQuery{ISBN: "0306406152", Course: "MATH 161", Name: "Calculus"}, byISBN)
	b.expectHint(t, selling.PriceQuery{ISBN: algebraISBN, Course: "Math 161"}, order.PriceHint{Basis: book.ByCourse, Count: 6, Low: 2_25, Median: 6_50, High: 17_50})
	byTitle := order.PriceHint{Basis: book.ByTitle, Count: 4, Low: 7_75, Median: 8_50, High: 19_25}
	b.expectHint(t, selling.PriceQuery{ISBN: algebraISBN, Course: "MATH 441", Name: "topology, a FIRST course"}, byTitle)
	b.expectHint(t, selling.PriceQuery{ISBN: algebraISBN, Course: "MATH 441"}, order.PriceHint{Basis: book.ByISBN, Count: 1})
	b.expectHint(t, selling.PriceQuery{ISBN: "9780262033848", Course: "MATH 441"}, order.PriceHint{Basis: book.ByCourse, Count: 1})
	b.expectHint(t, selling.PriceQuery{ISBN: "9780262033848", Name: "Nothing"}, order.PriceHint{Basis: book.ByISBN})
}

func hintCountsDelivered(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	start := b.Clock.Now()
	draft := withISBN(Draft("Calculus", "MATH 161", 10_00), calculusISBN)
	s.deliver(t, draft)
	s.deliver(t, draft)
	placed, _ := s.sell(t, draft)
	cancelled, _ := s.sell(t, draft)
	must.Get(b.Orders.Cancel(t.Context(), s.dean, cancelled.ID, "mistake"))(t)
	verified, _ := s.sell(t, draft)
	must.Get(b.Orders.Confirm(t.Context(), s.dean, verified.ID))(t)
	s.Post(t, s.by, draft)
	q := selling.PriceQuery{ISBN: calculusISBN}
	b.expectHint(t, q, order.PriceHint{Basis: book.ByISBN, Count: 2})
	b.Clock.Advance(b.Clock.Now().Sub(start) + 24*time.Hour)
	s.finish(t, placed)
	b.expectHint(t, q, order.PriceHint{Basis: book.ByISBN, Count: 3, Low: 10_00, Median: 10_00, High: 10_00})
	last := b.Clock.Now()
	b.Clock.Advance(last.AddDate(2, 0, 0).Sub(last))
	b.expectHint(t, q, order.PriceHint{Basis: book.ByISBN, Count: 1})
	b.Clock.Advance(time.Microsecond)
	b.expectHint(t, q, order.PriceHint{Basis: book.ByISBN})
}

func hintCountsPairsOnce(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	friend := b.Join(t, "friend", user.Regular)
	trade := func(seller, buyer user.Caller, price money.Amount) {
		v := b.Post(t, seller, withISBN(Draft("Calculus", "MATH 161", price), calculusISBN))
		b.Buy(t, buyer, v.ID)
		s.finish(t, v)
	}
	for range 3 {
		trade(s.by, friend, 900_00)
		trade(friend, s.by, 800_00)
	}
	q := selling.PriceQuery{ISBN: calculusISBN}
	b.expectHint(t, q, order.PriceHint{Basis: book.ByISBN, Count: 1})
	for range 2 {
		b.Clock.Advance(31 * 24 * time.Hour)
		trade(friend, s.by, 40_00)
	}
	b.expectHint(t, q, order.PriceHint{Basis: book.ByISBN, Count: 3, Low: 40_00, Median: 40_00, High: 420_00})
}

func hintOfSoldBook(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	isbn, course := algebraISBN, "ALG 1"
	v := b.Post(t, s.by, withISBN(Draft("Calculus", "MATH 161", 10_00), calculusISBN))
	must.Get(b.Listings.Update(t.Context(), s.by, v.ID, book.Patch{ISBN: &isbn, Course: &course}))(t)
	b.Buy(t, b.Join(t, "bob", user.Regular), v.ID)
	s.finish(t, v)
	b.expectHint(t, selling.PriceQuery{ISBN: calculusISBN}, order.PriceHint{Basis: book.ByISBN})
	b.expectHint(t, selling.PriceQuery{ISBN: algebraISBN}, order.PriceHint{Basis: book.ByISBN, Count: 1})
	b.expectHint(t, selling.PriceQuery{Course: "ALG1"}, order.PriceHint{Basis: book.ByCourse, Count: 1})
}

func hintDistinguishesSymbols(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	for _, price := range []money.Amount{10_00, 10_00, 10_00} {
		s.deliver(t, Draft("C++ Primer", "CSC 1", price))
		s.deliver(t, Draft("C# Primer", "CSC 2", 2*price))
	}
	b.expectHint(t, selling.PriceQuery{Name: "C# primer"}, order.PriceHint{Basis: book.ByTitle, Count: 3, Low: 20_00, Median: 20_00, High: 20_00})
}

func hintRefuses(t *testing.T, b *MarketFixture) {
	for name, c := range map[string]struct {
		q      selling.PriceQuery
		fields int
	}{
		"nothing":         {selling.PriceQuery{}, 1},
		"nothing to fold": {selling.PriceQuery{ISBN: "1", Course: "!", Name: "?"}, 3},
		"a wrong digit":   {selling.PriceQuery{ISBN: "978-0-306-40615-8", Course: "MATH 161"}, 1},
	} {
		_, err := b.Prices.Hint(t.Context(), user.Caller{}, c.q)
		if f := fault.As(err); !errors.Is(err, book.ErrInvalid) || len(f.Fields) != c.fields {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func salesAreBounded(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	var sold []market.BookView
	for i := range 4 {
		v, _ := s.sell(t, withISBN(Draft("Calculus", "MATH 161", money.Amount(i+1)), calculusISBN))
		sold = append(sold, v)
	}
	for _, i := range []int{2, 0, 3, 1} {
		b.Clock.Advance(time.Hour)
		s.finish(t, sold[i])
	}
	for basis, text := range map[book.Reason]string{book.ByISBN: "9780306406157", book.ByCourse: "math161", book.ByTitle: "calculus"} {
		sales := must.Get(b.Ports.ListDeliveredSales(t.Context(), selling.SalesKey{Basis: basis, Text: text}, b.Clock.Now().Add(-90*time.Minute), 3))(t)
		if len(sales) != 2 || sales[0].Price != 2 || sales[1].Price != 4 {
			t.Errorf("%s: %+v", basis, sales)
		}
		sales = must.Get(b.Ports.ListDeliveredSales(t.Context(), selling.SalesKey{Basis: basis, Text: text}, time.Time{}, 3))(t)
		if len(sales) != 3 || sales[2].Price != 1 || basis == book.ByTitle && sales[2].Name != "Calculus" || sales[2].Seller != s.by.ID || !sales[0].DeliveredAt.Equal(b.Clock.Now()) {
			t.Errorf("%s: %+v", basis, sales)
		}
	}
}

func hintAfterDeletion(t *testing.T, b *MarketFixture) {
	s := b.aSeller(t)
	for range 3 {
		_, buyer := s.deliver(t, withISBN(Draft("Calculus", "MATH 161", 10_00), calculusISBN))
		b.DeleteUser(t, buyer)
	}
	b.expectHint(t, selling.PriceQuery{ISBN: calculusISBN}, order.PriceHint{Basis: book.ByISBN, Count: 3, Low: 10_00, Median: 10_00, High: 10_00})
}

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
	must.Get2(requests.Add(t.Context(), ann, book.RequestDraft{Name: "Topology", Course: "MTH 440", MaxPrice: new(money.Amount(900))}))(t)
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
	wanted := book.RequestDraft{Name: "Topology", Course: "MTH 440", MaxPrice: new(money.Amount(900))}
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
