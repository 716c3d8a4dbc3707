package guardingpages

import (
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

const maxUniversity = 100 // characters

// periodForm chooses the university and the days of the dashboard.
var periodForm = web.Form{UseGet: true, Action: "/dashboard", Button: "Show", Fields: []web.Field{
	{Name: "university", Label: "University", Max: maxUniversity, Optional: true},
	{Name: "from", Label: "From day", Type: "date", Optional: true},
	{Name: "to", Label: "To day", Type: "date", Optional: true},
}}

// readPeriod reads the statistics of a ?university=, or of all, and of the days from ?from= to
// ?to=, or of the last ?days=.
func (p *Pages) readPeriod(r *http.Request, by user.Caller) (d guarding.PeriodDashboard, f web.Form, err error) {
	query := r.URL.Query()
	f = periodForm.WithValues(query)
	if s, err := p.Discovery.Suggest(r.Context(), by, finding.Filter{}); err == nil { // show the page without them
		f = f.WithSuggestions("university", s.Universities)
	}
	from, err := web.DayOf(query, "from")
	if err != nil {
		return d, f, err
	}
	to, err := web.DayOf(query, "to")
	if err != nil {
		return d, f, err
	}
	if n, err := strconv.Atoi(query.Get("days")); err == nil && from.IsZero() && to.IsZero() {
		from = p.Market.Statistics.Today().AddDate(0, 0, 1-max(1, min(n, 366)))
	}
	if d, err = p.Market.Statistics.OfPeriod(r.Context(), by, universityOf(r), from, to); err != nil {
		return d, f, err
	}
	for i, day := range []guarding.Day{d.Daily[0], d.Daily[len(d.Daily)-1]} {
		f.Fields[i+1].Value = day.Date.Format(time.DateOnly)
	}
	return d, f, nil
}

// universityOf returns the ?university= of the dashboard. No university has a longer name.
func universityOf(r *http.Request) string {
	name := r.URL.Query().Get("university")
	if utf8.RuneCountInString(name) > maxUniversity {
		return ""
	}
	return name
}

// comparison is a total of the period beside that of the period before.
type comparison struct{ What, Now, Before, Change string }

func compare(f locale.Format, d guarding.PeriodDashboard) []comparison {
	now, before := guarding.Total(d.Daily), guarding.Total(d.Before)
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

// ByColumn reports whether the viewer has sorted the figures.
func (v dashboardView) ByColumn() bool { return web.IsSorted(v.Columns) }

// dayColumns are the columns of the figures, in their order.
var dayColumns = []web.Sortable[figures]{
	web.SortBy("day", "Days", func(d figures) int64 { return d.Date.Unix() }),
	web.SortBy("posted", "Books posted", func(d figures) int { return d.Posted }),
	web.SortBy("sold", "Books sold", func(d figures) int { return d.Sold }),
	web.SortBy("money", "Sales volume", func(d figures) money.Amount { return d.Money }),
	web.SortBy("fees", "Fees", func(d figures) money.Amount { return d.Fees }),
	web.SortBy("users", "New users", func(d figures) int { return d.NewUsers }),
}
