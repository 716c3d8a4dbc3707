package guardingpages

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/locale"
)

// figures are those of some days in a row, beside those of as many days in the period before.
type figures struct {
	guarding.Day // the sums
	Before       guarding.Day
	Last         time.Time // the last of the days; Date is the first
}

// Label names the days.
func (w figures) label(f locale.Format) string {
	if w.Last.Equal(w.Date) {
		return f.Date(w.Date)
	}
	return f.Date(w.Date) + " – " + f.Date(w.Last)
}

// daysInRow is how many days are drawn as one bar: a week, unless that would leave few bars.
func daysInRow(days int) int {
	if days < 4*7 {
		return 1
	}
	return 7
}

// rowsOf sums days. All rows have as many days but the first, so that the last week is a whole one.
func rowsOf(days, before []guarding.Day) (rows []figures) {
	n := daysInRow(len(days))
	for end := len(days); end > 0; end -= n {
		start := max(0, end-n)
		w := figures{Day: guarding.Total(days[start:end]), Before: guarding.Total(before[min(start, len(before)):min(end, len(before))]), Last: days[end-1].Date}
		w.Date = days[start].Date
		rows = append(rows, w)
	}
	slices.Reverse(rows)
	return rows
}

// chart is a bar chart with two bars a row, the period before and the period, Width by Height units in size. Its numbers are also in a
// table. Negative bars hang below the zero line.
type chart struct {
	Title, Summary string
	Width, Height  int
	Line           int      // the y coordinate of zero
	Scale          []string // from the top, at the heights of Grid
	Grid           []int
	Axis           []string // the first day, one in the middle and the last
	Bars           []bar
}

type bar struct {
	X, Y, Width, Height int
	Label               string
	Before              bool
}

const (
	barWidth  = 8
	rowWidth  = 2*barWidth + 4 // with the gap
	chartHigh = 100
)

// newChart returns a chart of one value of each row.
func newChart(f locale.Format, title string, rows []figures, of func(guarding.Day) int64, write func(int64) string) chart {
	var low, high, now, before int64
	for _, w := range rows {
		a, b := of(w.Day), of(w.Before)
		low, high, now, before = min(low, a, b), max(high, a, b), now+a, before+b
	}
	ticks := ticksOf(low, high)
	top, span := ticks[0], ticks[0]-ticks[len(ticks)-1]
	y := func(v int64) int { return int((top - v) * chartHigh / span) }
	c := chart{
		Title: web.Translate(f.Lang, title), Width: rowWidth * len(rows), Height: chartHigh, Line: y(0),
		Summary: web.Translate(f.Lang, "%s in this period, %s in the one before", write(now), write(before)),
	}
	for _, t := range ticks {
		c.Scale, c.Grid = append(c.Scale, write(t)), append(c.Grid, y(t))
	}
	for i, w := range rows {
		draw := func(x int, v int64, label string, before bool) {
			b := bar{X: x, Y: y(max(v, 0)), Width: barWidth, Label: label, Before: before}
			if b.Height = y(min(v, 0)) - b.Y; v != 0 && b.Height == 0 { // show small values, too
				b.Height++
			}
			c.Bars = append(c.Bars, b)
		}
		draw(i*rowWidth+2, of(w.Before), web.Translate(f.Lang, "Before")+web.Translate(f.Lang, ":")+" "+write(of(w.Before)), true)
		draw(i*rowWidth+2+barWidth, of(w.Day), w.label(f)+web.Translate(f.Lang, ":")+" "+write(of(w.Day)), false)
	}
	if n := len(rows); n > 0 {
		c.Axis = []string{f.Date(rows[0].Date), f.Date(rows[n/2].Date), f.Date(rows[n-1].Last)}
	}
	return c
}

// ticksOf returns at most six round values at equal distances, from the largest to the smallest, among which are zero and all values from
// low to high.
func ticksOf(low, high int64) (ticks []int64) {
	step, turn := int64(1), 0
	for high-low > 4*step {
		step = step * []int64{2, 5, 2}[turn] / []int64{1, 2, 1}[turn] // 1, 2, 5, 10, …
		turn = (turn + 1) % 3
	}
	top, bottom := (high+step-1)/step*step, (low-step+1)/step*step
	for v := max(top, bottom+step); v >= bottom; v -= step {
		ticks = append(ticks, v)
	}
	return ticks
}
