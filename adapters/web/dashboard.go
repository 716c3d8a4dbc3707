package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

type dashboardView struct {
	market.Dashboard
	Owner  bool
	Sales  int // those that stand
	Shelf  []shelfCount
	Charts []chart
}

// shelfCount is how many books have a status.
type shelfCount struct {
	Status book.Status
	Count  int
}

var shelfStatuses = []book.Status{book.ForSale, book.Bought, book.Verified, book.Delivered, book.Unlisted}

// dashboard serves GET /dashboard: how the market does.
func (p *Pages) dashboard(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	d, err := p.Market.Statistics.Dashboard(r.Context(), by)
	if err != nil {
		return err
	}
	lang := langOf(r)
	v := dashboardView{Dashboard: d, Owner: by.Role >= user.Owner, Charts: chartsOf(lang, d.Daily)}
	for _, s := range shelfStatuses {
		v.Shelf = append(v.Shelf, shelfCount{s, d.BooksByStatus[s]})
		if s.Sold() {
			v.Sales += d.BooksByStatus[s]
		}
	}
	p.show(w, r, http.StatusOK, "dashboard", frame{lang, say(lang, "Dashboard"), v})
	return nil
}

func chartsOf(lang user.Lang, days []market.Day) []chart {
	count := func(title string, of func(market.Day) int) chart {
		return newChart(lang, title, days, func(d market.Day) int64 { return int64(of(d)) }, func(n int64) string { return number(lang, int(n)) })
	}
	amount := func(title string, of func(market.Day) money.Cents) chart {
		return newChart(lang, title, days, func(d market.Day) int64 { return int64(of(d)) }, func(n int64) string { return dollars(lang, money.Cents(n)) })
	}
	return []chart{
		count("Books posted", func(d market.Day) int { return d.Posted }),
		count("Books sold", func(d market.Day) int { return d.Sold }),
		amount("Sales volume", func(d market.Day) money.Cents { return d.Money }),
		amount("Fees", func(d market.Day) money.Cents { return d.Fees }),
		count("New users", func(d market.Day) int { return d.NewUsers }),
	}
}

type shelfView struct {
	Statuses []book.Status
	Status   book.Status
	Books    []market.BookView
	More     string
}

// booksByStatus serves GET /dashboard/books?status=.
func (p *Pages) booksByStatus(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	status := book.Status(statusOf(r, int(book.ForSale)))
	books, next, err := p.Market.Listings.ListByStatus(r.Context(), by, status, pageOf(r))
	if err != nil {
		return err
	}
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "shelf", frame{lang, say(lang, "Books"), shelfView{shelfStatuses, status, books, further(r, next)}})
	return nil
}
