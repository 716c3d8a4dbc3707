package guardingpages

import (
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/locale"
)

// chart is a bar chart with one bar per day, Width by Height units in size. Its
// numbers are also available as text. Negative bars hang below the zero line.
type chart struct {
	Title, Summary         string
	Width, Height          int
	Line                   int // the y coordinate of zero
	Low, High, First, Last string
	Bars                   []bar
	Before                 string // the points of a line through the values of the period before
}

type bar struct {
	X, Y, Width, Height int
	Label               string
}

const (
	barWidth  = 6 // including the gap
	barGap    = 1
	chartHigh = 100
)

// newChart returns a chart of one value per day, with as many days before for comparison.
func newChart(f locale.Format, title string, days, before []guarding.Day, of func(guarding.Day) int64, write func(int64) string) chart {
	var low, high, sum int64
	var most int64
	for _, d := range days {
		v := of(d)
		low, high, most, sum = min(low, v), max(high, v), max(most, v), sum+v
	}
	for _, d := range before {
		low, high = min(low, of(d)), max(high, of(d))
	}
	c := chart{
		Title: web.Translate(f.Lang, title), Width: barWidth * len(days), Height: chartHigh,
		Low: write(low), High: write(high),
		Summary: web.Translate(f.Lang, "%s in %d days, at most %s in one day.", write(sum), len(days), write(most)),
	}
	if high == low {
		high = 1 // no values: the line is at the bottom
	}
	span := high - low
	c.Line = int(high * chartHigh / span)
	for i, d := range days {
		v, day := of(d), f.Date(d.Date)
		top, bottom := int((high-max(v, 0))*chartHigh/span), int((high-min(v, 0))*chartHigh/span)
		if v != 0 && top == bottom { // show small values, too
			bottom++
		}
		c.Bars = append(c.Bars, bar{X: i * barWidth, Y: top, Width: barWidth - barGap, Height: bottom - top, Label: day + ": " + write(v)})
		if i == 0 {
			c.First = day
		}
		c.Last = day
	}
	var points strings.Builder
	for i, d := range before {
		fmt.Fprintf(&points, "%d,%d ", i*barWidth+barWidth/2, int((high-of(d))*chartHigh/span))
	}
	c.Before = strings.TrimSpace(points.String())
	return c
}
