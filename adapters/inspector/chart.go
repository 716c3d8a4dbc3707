package inspector

import (
	"fmt"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// chart is a bar chart of deliveries over time, Width by chartHeight units in size. A bar
// has a part for each state. Its numbers are also available as text.
type chart struct {
	Title, Summary, First, Last, Most string
	Width, Height                     int
	Bars                              []bar
	Rows                              []chartRow // the steps that are not empty, newest first
	Uncounted                         string     // until when there were too many deliveries to count, "" if all are counted
}

// bar is a part of a bar.
type bar struct {
	X, Y, Width, Height int
	State, Label        string
}

// chartRow is a step as text, with the path of the list of its deliveries.
type chartRow struct {
	Time, Link                          string
	Pending, Delivered, Dead, Unmatched int
}

const (
	barWidth    = 8 // including the gap
	barGap      = 1
	chartHeight = 100
	maxBars     = 60
)

// window is the range of time and the step of a chart.
type chartWindow struct {
	from, to time.Time
	step     time.Duration
	label    string
}

// steps are the lengths of time that a bar may cover.
var steps = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour,
}

// windowOf chooses the range of the query's times, by default the last day, and bars that
// begin at round times unless the query begins elsewhere.
func windowOf(f filter, q inbox.Query, now time.Time) chartWindow {
	w := chartWindow{from: q.From, to: q.To, label: "in this time range"}
	if w.to.IsZero() {
		w.to = now
	}
	if w.from.IsZero() || !w.from.Before(w.to) {
		w.from, w.label = w.to.Add(-24*time.Hour), "in the 24 hours before that"
	}
	switch {
	case f.Range != "":
		for _, p := range periods {
			if p.Value == f.Range {
				w.label = "in the " + strings.ToLower(p.Label)
			}
		}
	case q.From.IsZero() && q.To.IsZero():
		w.label = "in the last 24 hours"
	}
	span := w.to.Sub(w.from)
	w.step = span/maxBars + time.Second
	for _, step := range steps {
		if span <= maxBars*step {
			w.step = step
			break
		}
	}
	if f.From == "" {
		w.from = w.from.Truncate(w.step)
	}
	if q.To.IsZero() {
		w.to = w.to.Truncate(w.step).Add(w.step)
	}
	return w
}

// newChart draws counts, which may lack steps at the beginning of the window.
func newChart(f filter, w chartWindow, counts []inbox.Count) chart {
	all := inbox.Query{From: w.from, To: w.to}.Steps(w.step)
	c := chart{
		Title: "Deliveries over time", Width: barWidth * all, Height: chartHeight, First: formatStep(w.from, w.step),
		Last: formatStep(w.to, w.step),
	}
	most, sum := 0, inbox.Count{}
	for _, n := range counts {
		most = max(most, total(n))
		sum.Pending, sum.Delivered = sum.Pending+n.Pending, sum.Delivered+n.Delivered
		sum.Dead, sum.Unmatched = sum.Dead+n.Dead, sum.Unmatched+n.Unmatched
	}
	c.Most = number(most)
	c.Summary = fmt.Sprintf("%s %s %s: %s delivered, %s pending, %s dead", number(total(sum)), plural(
		total(sum), "delivery", "deliveries",
	), w.label, number(sum.Delivered), number(sum.Pending), number(sum.Dead))
	if sum.Unmatched > 0 {
		c.Summary += ", " + number(sum.Unmatched) + " unmatched"
	}
	if missing := all - len(counts); missing > 0 {
		c.Uncounted = formatStep(w.from.Add(time.Duration(missing)*w.step), w.step)
	}
	for i, n := range counts {
		c.add(all-len(counts)+i, n, most, f, w)
	}
	return c
}

func total(n inbox.Count) int { return n.Pending + n.Delivered + n.Dead + n.Unmatched }

// add draws a bar from the bottom up: dead, pending, unmatched, delivered.
func (c *chart) add(at int, n inbox.Count, most int, f filter, w chartWindow) {
	if total(n) == 0 {
		return
	}
	label := formatStep(n.At, w.step)
	below := 0
	for _, part := range []struct {
		state string
		count int
	}{{"dead", n.Dead}, {"pending", n.Pending}, {"unmatched", n.Unmatched}, {"delivered", n.Delivered}} {
		if part.count == 0 {
			continue
		}
		height := max(2, part.count*chartHeight/most) // show small values, too
		c.Bars = append(c.Bars, bar{at * barWidth, max(0, chartHeight-below-height), barWidth - barGap, height, part.state, fmt.Sprintf(
			"%s: %s %s", label, number(part.count), part.state,
		)})
		below += height
	}
	end := n.At.Add(w.step)
	if end.After(w.to) {
		end = w.to
	}
	row := chartRow{label, f.between(n.At, end), n.Pending, n.Delivered, n.Dead, n.Unmatched}
	c.Rows = append([]chartRow{row}, c.Rows...)
}

// formatStep writes a time as precisely as a step needs it.
func formatStep(at time.Time, step time.Duration) string {
	layout := "2006-01-02 15:04"
	switch {
	case step < time.Minute:
		layout = "2006-01-02 15:04:05"
	case step%(24*time.Hour) == 0:
		layout = time.DateOnly
	}
	return at.UTC().Format(layout)
}
