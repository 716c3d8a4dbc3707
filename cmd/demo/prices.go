package demo

import (
	"math/rand/v2"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// tariff converts the prices of the catalog, which are in dollars, to plausible prices in a
// currency.
type tariff struct {
	rate    float64         // how many units of the currency a dollar is, roughly
	round   money.Amount    // prices are multiples of so many minor units, and end in one of endings
	endings [6]money.Amount // in minor units
}

// rates are what a dollar was worth in 2026, roughly, where that is far from one unit.
var rates = map[string]float64{
	"GBP": 0.8, "EUR": 0.9, "CHF": 0.85, "CAD": 1.4, "AUD": 1.5, "NZD": 1.65, "SGD": 1.3, "CNY": 7, "HKD": 8, "SEK": 10, "NOK": 10.5,
	"DKK": 7, "PLN": 3.8,
	"CZK": 22, "MXN": 19, "BRL": 5.5, "ZAR": 18, "TRY": 40, "THB": 33, "PHP": 57, "EGP": 50, "JPY": 150, "ISK": 130, "KRW": 1350,
	"CLP": 950, "VND": 5000,
}

const dearest = 170 // dollars; no book costs more

// newTariff returns the prices in a currency. Where the market's highest price is low, as in
// rupees, they are lower than a dollar is worth.
func newTariff(c money.Currency) tariff {
	unit, rate := money.Amount(1), map[int]float64{0: 100, 2: 1, 3: 0.3}[c.Decimals()]
	for range c.Decimals() {
		unit *= 10
	}
	if known, ok := rates[c.Code()]; ok {
		rate = known
	}
	t := tariff{rate: min(rate, float64(book.MaxPrice/unit)/dearest) * float64(unit), round: unit}
	if rate < 10 && c.Decimals() > 0 {
		t.endings = [...]money.Amount{0, 0, 0, unit / 2, unit * 99 / 100, unit * 95 / 100}
		return t
	}
	for t.round*10 < money.Amount(t.rate) { // nobody asks for 8,437 yen
		t.round *= 10
	}
	return t
}

// leastDollars is the price of the cheapest books.
const leastDollars = 3

// price returns the price of what costs so many dollars.
func (t tariff) price(dollars float64, r *rand.Rand) money.Amount {
	ending := t.endings[r.IntN(len(t.endings))]
	return max(t.rounded(dollars)+ending, t.rounded(leastDollars), t.round)
}

func (t tariff) rounded(dollars float64) money.Amount {
	return money.Amount(dollars*t.rate) / t.round * t.round
}
