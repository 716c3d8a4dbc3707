package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Sale is what a delivered order says about the price of a book.
type Sale struct {
	Order         ID
	Name          string // of the book at the time of sale
	Buyer, Seller user.ID
	Price         money.Amount // without the fee
	DeliveredAt   time.Time
	Waited        time.Duration // from listing to sale
}

// PriceHint is what copies of a book have sold for.
type PriceHint struct {
	Basis             book.Reason   // what the copies have in common
	Count             int           // of sales
	Low, Median, High money.Amount  // the quartiles; 0 if Known is false
	Within            time.Duration // in which three of four copies from Low to High have sold; 0: there are too few
}

// MinHintSales is how many sales a price hint needs: fewer would show what one person paid.
const MinHintSales = 3

// Known reports whether there are enough sales for the quartiles.
func (h PriceHint) Known() bool { return h.Count >= MinHintSales }

// NewPriceHint computes the hint of some sales. Of the sales between the same two people it
// counts the last of each UTC month, so that two friends cannot set the price.
func NewPriceHint(basis book.Reason, sales []Sale) PriceHint {
	counted := countedSales(sales)
	prices := make([]money.Amount, len(counted))
	for i, s := range counted {
		prices[i] = s.Price
	}
	h := PriceHint{Basis: basis, Count: len(prices)}
	if h.Known() {
		h.Low, h.Median, h.High = quartile(prices, 1), quartile(prices, 2), quartile(prices, 3)
		h.Within = usualWait(counted, h.Low, h.High)
	}
	return h
}

// usualWait is in what time three of four copies at these prices have sold; 0 if there are fewer than MinHintSales.
func usualWait(sales []Sale, low, high money.Amount) time.Duration {
	var waits []time.Duration
	for _, s := range sales {
		if low <= s.Price && s.Price <= high {
			waits = append(waits, s.Waited)
		}
	}
	if len(waits) < MinHintSales {
		return 0
	}
	slices.Sort(waits)
	return waits[(3*len(waits)+3)/4-1]
}

// pairMonth is a month of the sales between two people, whichever of them sold.
type pairMonth struct {
	one, other user.ID
	year       int
	month      time.Month
}

// countedSales returns the sales that count, in ascending order of their prices.
func countedSales(sales []Sale) (counted []Sale) {
	sales = slices.SortedFunc(slices.Values(sales), func(a, b Sale) int { // the last first
		return cmp.Or(b.DeliveredAt.Compare(a.DeliveredAt), cmp.Compare(b.Order, a.Order))
	})
	seen := map[pairMonth]bool{}
	for _, s := range sales {
		day := s.DeliveredAt.UTC()
		pair := pairMonth{min(s.Buyer, s.Seller), max(s.Buyer, s.Seller), day.Year(), day.Month()}
		if s.Buyer == s.Seller || seen[pair] {
			continue
		}
		seen[pair] = true
		counted = append(counted, s)
	}
	slices.SortFunc(counted, func(a, b Sale) int { return cmp.Compare(a.Price, b.Price) })
	return counted
}

// quartile returns the nth quartile of sorted prices: of n prices it is at position
// (n - 1) × nth / 4, counted from 0. Between two prices it is interpolated, and rounded half
// up to the smallest unit.
func quartile(prices []money.Amount, nth int) money.Amount {
	position := (len(prices) - 1) * nth
	i, quarters := position/4, money.Amount(position%4)
	if quarters == 0 {
		return prices[i]
	}
	return prices[i] + ((prices[i+1]-prices[i])*quarters+2)/4
}
