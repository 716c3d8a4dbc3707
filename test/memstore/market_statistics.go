package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// ReadUserStatistics is market.StatisticsReader.
func (m *Market) ReadUserStatistics(ctx context.Context, id user.ID) (market.UserStatistics, error) {
	var s market.UserStatistics
	err := m.s.read(ctx, func() error {
		t := &m.s.tables.market
		for _, b := range t.books {
			if b.Seller == id {
				s.Posted++
			}
		}
		for _, o := range t.orders {
			if o.Live() && o.Seller == id {
				s.Sold++
				s.Made += o.Price
			}
			if o.Live() && o.Buyer == id {
				s.Bought++
				s.Spent += o.Total()
			}
		}
		t.countRequests(id, &s)
		return nil
	})
	return s, err
}

func (t *marketTables) countRequests(id user.ID, s *market.UserStatistics) {
	for _, r := range t.requests {
		if r.Owner == id && r.Status == book.Open {
			s.OpenRequests++
		}
	}
	for _, p := range t.matches {
		if p.Owner == id && p.valid && t.requests[p.Request].Status == book.Open && t.books[p.Book].Status == book.ForSale {
			s.OpenMatch++
		}
	}
}

// ReadDashboard is market.StatisticsReader.
func (m *Market) ReadDashboard(ctx context.Context, campus string, days []time.Time) (market.Dashboard, error) {
	at := func(university string) bool { return campus == "" || book.Key(university) == campus }
	s := market.Dashboard{BooksByStatus: map[book.Status]int{}}
	for _, day := range days[:len(days)-1] {
		s.Daily = append(s.Daily, market.Day{Date: day})
	}
	err := m.s.read(ctx, func() error {
		m.s.tables.market.count(&s, days, at)
		for _, joined := range m.s.signUpTimes(at) {
			s.Users++
			dayOf(&s, days, joined, func(d *market.Day) { d.NewUsers++ })
		}
		return nil
	})
	return s, err
}

// dayOf changes the day of a time, if the series covers it.
func dayOf(s *market.Dashboard, days []time.Time, at time.Time, change func(*market.Day)) {
	for i := range s.Daily {
		if !at.Before(days[i]) && at.Before(days[i+1]) {
			change(&s.Daily[i])
		}
	}
}

func (t *marketTables) count(s *market.Dashboard, days []time.Time, at func(university string) bool) {
	for _, b := range t.books {
		if !at(b.University) {
			continue
		}
		s.BooksByStatus[b.Status]++
		dayOf(s, days, b.CreatedAt, func(d *market.Day) { d.Posted++ })
	}
	var waits []time.Duration
	spellings, sold := map[string]int{}, map[string]int{}
	for _, o := range pick(t.orders, len(t.orders), newestOrder, order.Order.Live) {
		b := t.books[o.Book]
		spellings[b.Course]++
		if !at(b.University) {
			continue
		}
		dayOf(s, days, o.CreatedAt, func(d *market.Day) { d.Sold++ })
		waits = append(waits, o.CreatedAt.Sub(b.ListedAt))
		sold[book.Key(b.Course)]++
	}
	s.MedianDaysToSell = median(waits)
	s.TopCourses = topCourses(sold, spellings)
	for _, e := range t.ledger {
		if at(t.books[t.orders[e.Order].Book].University) {
			t.countEntry(s, days, e)
		}
	}
}

// topCourses lists the courses with the most sales, by their keys, each in its most frequent spelling.
func topCourses(sold, spellings map[string]int) (out []market.CourseSales) {
	spelled := map[string]string{}
	for _, s := range slices.SortedFunc(maps.Keys(spellings), func(a, b string) int {
		return cmp.Or(cmp.Compare(spellings[b], spellings[a]), cmp.Compare(a, b))
	}) {
		key := book.Key(s)
		spelled[key] = cmp.Or(spelled[key], s)
	}
	keys := slices.SortedFunc(maps.Keys(sold), func(a, b string) int {
		return cmp.Or(cmp.Compare(sold[b], sold[a]), cmp.Compare(a, b))
	})
	for _, key := range keys[:min(market.MaxTopCourses, len(keys))] {
		out = append(out, market.CourseSales{Course: spelled[key], Sold: sold[key]})
	}
	return out
}

func (t *marketTables) countEntry(s *market.Dashboard, days []time.Time, e order.Entry) {
	var price, fee money.Amount
	switch {
	case e.Account == order.Fees:
		fee = e.Amount
	case e.Account == order.Escrow && e.Movement != order.Payout, e.Account == order.Sellers && e.Movement == order.DirectPayment:
		price = e.Amount
	}
	s.MoneyMoved += price
	s.FeesEarned += fee
	dayOf(s, days, e.At, func(d *market.Day) { d.Money += price; d.Fees += fee })
}

// median is the lower median, in days.
func median(waits []time.Duration) float64 {
	if len(waits) == 0 {
		return 0
	}
	slices.Sort(waits)
	return waits[(len(waits)-1)/2].Hours() / 24
}

// WalkOrders is market.LedgerReader.
func (m *Market) WalkOrders(ctx context.Context, visit func(market.OrderAccount) error) error {
	return m.s.read(ctx, func() error {
		t := &m.s.tables.market
		for _, o := range pick(t.orders, len(t.orders), oldestOrder, func(order.Order) bool { return true }) {
			a := market.OrderAccount{Order: o, BookStatus: t.books[o.Book].Status, BookBuyer: t.books[o.Book].Buyer}
			for _, e := range t.ledger {
				if e.Order == o.ID {
					a.Balances.Add(e.Account, e.Amount)
				}
			}
			if err := visit(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// FindInconsistencies is market.LedgerReader.
func (m *Market) FindInconsistencies(ctx context.Context) ([]market.Inconsistency, error) {
	return rows(ctx, m, func(t *marketTables) []market.Inconsistency {
		type movement struct {
			order order.ID
			kind  order.Movement
		}
		sums := map[movement]money.Amount{}
		for _, e := range t.ledger {
			sums[movement{e.Order, e.Movement}] += e.Amount
		}
		var out []market.Inconsistency
		for k, sum := range sums {
			if _, known := t.orders[k.order]; !known {
				out = append(out, market.Inconsistency{Order: k.order, What: "the ledger has entries of an order that does not exist"})
			}
			if sum != 0 {
				out = append(out, market.Inconsistency{Order: k.order, What: fmt.Sprintf("the entries of movement %d sum to %d, not to 0", k.kind, sum)})
			}
		}
		for _, b := range t.books {
			if b.Status.Sold() && t.liveOrder(b.ID) == nil {
				out = append(out, market.Inconsistency{Book: b.ID, What: "the book is sold, but has no live order"})
			}
		}
		return out
	})
}
