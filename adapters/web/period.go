package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// periodForm chooses the days of the dashboard.
var periodForm = form{UseGet: true, Action: "/dashboard", Button: "Show", Fields: []field{
	{Name: "from", Label: "From day", Type: "date", Optional: true},
	{Name: "to", Label: "To day", Type: "date", Optional: true},
}}

// readPeriod reads the statistics of the days from ?from= to ?to=, or of the last ?days=.
func (p *Pages) readPeriod(r *http.Request, by user.Caller) (d market.PeriodDashboard, f form, err error) {
	query := r.URL.Query()
	f = periodForm.withValues(query)
	from, err := dayOf(query, "from")
	if err != nil {
		return d, f, err
	}
	to, err := dayOf(query, "to")
	if err != nil {
		return d, f, err
	}
	if n, err := strconv.Atoi(query.Get("days")); err == nil && from.IsZero() && to.IsZero() {
		from = p.Market.Statistics.Today().AddDate(0, 0, 1-max(1, min(n, 366)))
	}
	if d, err = p.Market.Statistics.OfPeriod(r.Context(), by, from, to); err != nil {
		return d, f, err
	}
	for i, day := range []market.Day{d.Daily[0], d.Daily[len(d.Daily)-1]} {
		f.Fields[i].Value = day.Date.Format(time.DateOnly)
	}
	return d, f, nil
}

// comparison is a total of the period beside that of the period before.
type comparison struct{ What, Now, Before, Change string }

func compare(f locale.Format, d market.PeriodDashboard) []comparison {
	now, before := market.Total(d.Daily), market.Total(d.Before)
	count := func(what string, now, before int) comparison {
		return comparison{what, f.Number(now), f.Number(before), changeOf(f, int64(now), int64(before))}
	}
	amount := func(what string, now, before money.Amount) comparison {
		return comparison{what, f.Money(now), f.Money(before), changeOf(f, int64(now), int64(before))}
	}
	return []comparison{
		count("Books posted", now.Posted, before.Posted), count("Books sold", now.Sold, before.Sold),
		amount("Sales volume", now.Money, before.Money), amount("Fees", now.Fees, before.Fees),
		count("New users", now.NewUsers, before.NewUsers),
	}
}

// changeOf returns the change in percent, a dash if there was nothing to compare with.
func changeOf(f locale.Format, now, before int64) string {
	if before <= 0 {
		return "–"
	}
	percent := (now - before) * 100 / before
	space := ""
	if f.Lang == user.FR {
		space = "\u00a0"
	}
	switch {
	case percent > 0:
		return "+" + f.Number(int(percent)) + space + "%"
	case percent < 0:
		return "−" + f.Number(int(-percent)) + space + "%"
	}
	return "0" + space + "%"
}

// ByColumn reports whether the viewer has sorted the daily figures.
func (v dashboardView) ByColumn() bool {
	return slices.ContainsFunc(v.Columns, func(c column) bool { return c.Order != "" })
}

// column is a column of a table that the viewer sorts by its link.
type column struct {
	Label, Link string
	Order       string // the value of aria-sort; "" for columns by which it is not sorted
}

// dayColumns are the columns of the daily figures, in their order.
var dayColumns = []struct {
	name, label string
	of          func(market.Day) int64
}{
	{"day", "Day", func(d market.Day) int64 { return d.Date.Unix() }},
	{"posted", "Books posted", func(d market.Day) int64 { return int64(d.Posted) }},
	{"sold", "Books sold", func(d market.Day) int64 { return int64(d.Sold) }},
	{"money", "Sales volume", func(d market.Day) int64 { return int64(d.Money) }},
	{"fees", "Fees", func(d market.Day) int64 { return int64(d.Fees) }},
	{"users", "New users", func(d market.Day) int64 { return int64(d.NewUsers) }},
}

// sortDays sorts the daily figures by ?sort=, a column or "-" and a column for descending
// order. The link of a column sorts descending first.
func sortDays(r *http.Request, days []market.Day) ([]market.Day, []column) {
	sorted, columns := slices.Clone(days), make([]column, len(dayColumns))
	wanted := r.URL.Query().Get("sort")
	for i, c := range dayColumns {
		columns[i] = column{Label: c.label, Link: sortLink(r.URL, "-"+c.name)}
		switch wanted {
		case c.name:
			columns[i].Order = "ascending"
			slices.SortStableFunc(sorted, func(a, b market.Day) int { return int(min(1, max(-1, c.of(a)-c.of(b)))) })
		case "-" + c.name:
			columns[i].Order, columns[i].Link = "descending", sortLink(r.URL, c.name)
			slices.SortStableFunc(sorted, func(a, b market.Day) int { return int(min(1, max(-1, c.of(b)-c.of(a)))) })
		}
	}
	return sorted, columns
}

// sortLink returns the address of this page in another order.
func sortLink(u *url.URL, order string) string {
	q := u.Query()
	q.Set("sort", order)
	return u.Path + "?" + q.Encode() + "#daily"
}
