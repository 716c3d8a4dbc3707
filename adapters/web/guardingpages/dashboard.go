package guardingpages

import (
	"cmp"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// dashboardPages shows staff how the market is doing.
func (p *Pages) dashboardPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get("/dashboard", p.ForAdmins(p.dashboard)).InMenu(10, "Statistics", ""),
		web.Get(booksPath, p.ForAdmins(p.booksByStatus)).InMenu(40, "Books", ""), web.File(booksPath+".csv", p.ForAdmins(p.exportBooks)),
	}}
}

type dashboardView struct {
	guarding.PeriodDashboard
	Owner      bool
	University string // empty: all
	OneCampus  bool   // the viewer oversees no other
	Period     web.Form
	Presets    []int // days
	Compared   []comparison
	Sorted     []figures // those of the charts, as the viewer sorts them
	ByDay      bool      // each has one day, not a week
	Columns    []web.Column
	Sales      int // not cancelled
	BookCounts []statusCount
	Charts     []chart
	Setup      setupView
}

// statusCount is the number of books in a status.
type statusCount struct {
	Status book.Status
	Count  int
}

var bookStatuses = []book.Status{book.ForSale, book.Bought, book.Verified, book.Delivered, book.Unlisted}

// dashboard serves GET /dashboard?university=&from=&to=&sort=.
func (p *Pages) dashboard(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	lang, status := web.LangOf(r), http.StatusOK
	d, period, err := p.readPeriod(r, by)
	if err != nil {
		if fault.KindOf(err) != fault.Invalid {
			return err
		}
		period, status = period.WithErrors(lang, err), httpx.Status(err)
		if d, err = p.Market.Statistics.OfPeriod(r.Context(), by, universityOf(r), time.Time{}, time.Time{}); err != nil {
			return err
		}
	}
	if by.Campus() != "" {
		period.Fields = period.Fields[1:] // the university
	}
	f := p.FormatIn(lang)
	v := dashboardView{PeriodDashboard: d, Owner: by.Role >= user.Owner, University: cmp.Or(by.Campus(), universityOf(r)), OneCampus: by.Campus() != "", Period: period, Presets: []int{7, 30, 90, 365}, Compared: compare(f, d)}
	rows := rowsOf(d.Daily, d.Before)
	v.Charts, v.ByDay = chartsOf(f, rows), daysInRow(len(d.Daily)) == 1
	v.Sorted, v.Columns = web.SortRows(r, "daily", rows, dayColumns)
	for _, s := range bookStatuses {
		v.BookCounts = append(v.BookCounts, statusCount{s, d.BooksByStatus[s]})
		if s.Sold() {
			v.Sales += d.BooksByStatus[s]
		}
	}
	if v.Owner {
		if v.Setup, err = p.setupFor(r, by); err != nil {
			return err
		}
	}
	return p.Show(w, r, status, "dashboard", "Dashboard", v)
}

func chartsOf(f locale.Format, rows []figures) []chart {
	count := func(title string, of func(guarding.Day) int) chart {
		return newChart(f, title, rows, func(d guarding.Day) int64 { return int64(of(d)) }, func(n int64) string { return f.Number(int(n)) })
	}
	amount := func(title string, of func(guarding.Day) money.Amount) chart {
		return newChart(f, title, rows, func(d guarding.Day) int64 { return int64(of(d)) }, func(n int64) string { return f.Money(money.Amount(n)) })
	}
	return []chart{
		count("Books posted", func(d guarding.Day) int { return d.Posted }),
		count("Books sold", func(d guarding.Day) int { return d.Sold }),
		amount("Sales volume", func(d guarding.Day) money.Amount { return d.Money }),
		amount("Fees", func(d guarding.Day) money.Amount { return d.Fees }),
		count("New users", func(d guarding.Day) int { return d.NewUsers }),
	}
}

type booksByStatusView struct {
	Statuses []book.Status
	Status   book.Status
	Books    []market.BookView
	Refused  map[book.ID]string // why the viewer may not unlist it
	Columns  []web.Column
	More     string
}

// bookColumns are the columns of a table of books, in their order.
var bookColumns = []web.Sortable[market.BookView]{
	web.SortBy("title", "Title", func(b market.BookView) string { return book.TitleKey(b.Name) }),
	web.SortBy("course", "Course", func(b market.BookView) string { return text.Key(b.Course) }),
	web.SortBy("price", "Price", func(b market.BookView) money.Amount { return b.Price }),
	web.SortBy("seller", "Seller", func(b market.BookView) string { return text.Fold(b.SellerName) }),
	web.SortBy("buyer", "Buyer", buyerOf),
	web.SortBy("posted", "Posted", func(b market.BookView) int64 { return b.CreatedAt.Unix() }),
}

func buyerOf(b market.BookView) string {
	if b.Order == nil {
		return ""
	}
	return b.Order.BuyerParty.Email
}

// booksByStatus serves GET /dashboard/books?status=&sort=.
func (p *Pages) booksByStatus(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	status := book.Status(web.StatusOf(r, int(book.ForSale)))
	books, next, err := p.Market.Listings.ListByStatus(r.Context(), by, status, web.StaffPageOf(r))
	if err != nil {
		return err
	}
	v := booksByStatusView{Statuses: bookStatuses, Status: status, More: web.NextLink(r, next)}
	if v.Refused, err = p.RefusedBooks(r, by, books...); err != nil {
		return err
	}
	v.Books, v.Columns = web.SortRows(r, "books", books, bookColumns)
	return p.Show(w, r, http.StatusOK, "booksbystatus", "Books", v)
}

// exportBooks serves GET /dashboard/books.csv?status=, as exportOrders does.
func (p *Pages) exportBooks(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	return web.RedirectToExport(w, r, "exportBooks", "status")
}
