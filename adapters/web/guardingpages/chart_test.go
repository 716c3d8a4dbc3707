package guardingpages

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/user"
)

// sold are days on which so many books were sold, from the 1st of September on.
func sold(values ...int) (days []guarding.Day) {
	for i, n := range values {
		days = append(days, guarding.Day{Date: time.Date(2026, 9, 1+i, 0, 0, 0, 0, time.UTC), Sold: n})
	}
	return days
}

func drawSold(days, before []guarding.Day) chart {
	return newChart(locale.Format{Lang: user.EN}, "Books sold", rowsOf(days, before), func(d guarding.Day) int64 { return int64(d.Sold) },
		func(n int64) string { return web.Number(user.EN, int(n)) })
}

func TestTheLineOfAChartIsAtZero(t *testing.T) {
	for name, c := range map[string]struct {
		days []int
		line int
	}{
		"nothing on any day": {[]int{0, 0, 0}, chartHigh},
		"no days":            {nil, chartHigh},
		"only more":          {[]int{0, 4, 2}, chartHigh},
		"only less":          {[]int{0, -4, 0}, 0},
		"more and less":      {[]int{3, -1, 0}, 75},
		"much more":          {[]int{2147483647, 1}, chartHigh},
	} {
		drawn := drawSold(sold(c.days...), nil)
		if drawn.Line != c.line {
			t.Errorf("%s: the line is at %d, want %d", name, drawn.Line, c.line)
		}
		for _, b := range drawn.Bars {
			if b.Y < 0 || b.Height < 0 || b.Y+b.Height > chartHigh+1 {
				t.Errorf("%s: a bar leaves the chart: %+v", name, b)
			}
		}
	}
}

func TestAChartComparesWithThePeriodBeforeOnTheSameScale(t *testing.T) {
	c := drawSold(sold(2, 0), sold(4, 1))
	if !slices.Equal(c.Scale, []string{"4", "3", "2", "1", "0"}) || !slices.Equal(c.Grid, []int{0, 25, 50, 75, 100}) || c.Summary != "2 in this period, 5 in the one before" {
		t.Errorf("%+v", c)
	}
	if len(c.Bars) != 4 || !c.Bars[0].Before || c.Bars[0].Height != 100 || c.Bars[1].Before || c.Bars[1].Height != 50 {
		t.Errorf("%+v", c.Bars)
	}
}

func TestALongPeriodIsDrawnByWeekAndAShortOneByDay(t *testing.T) {
	values := make([]int, 30)
	for i := range values {
		values[i] = i
	}
	rows := rowsOf(sold(values...), sold(values...))
	var sums []int
	for _, w := range rows {
		sums = append(sums, w.Sold)
		if w.Before.Sold != w.Sold {
			t.Errorf("%+v is compared with other days", w)
		}
	}
	if !slices.Equal(sums, []int{0 + 1, 35, 84, 133, 182}) {
		t.Errorf("the weeks have %v", sums)
	}
	f := locale.Format{Lang: user.EN}
	if label := rows[4].label(f); label != f.Date(rows[4].Date)+" – "+f.Date(rows[4].Last) || rows[4].Last.Sub(rows[4].Date) != 6*24*time.Hour {
		t.Errorf("the last week is %s", label)
	}
	if days := rowsOf(sold(values[:27]...), nil); len(days) != 27 || days[26].label(f) != f.Date(days[26].Date) {
		t.Errorf("%d rows of 27 days", len(days))
	}
}

func TestTheScaleOfAChartHasRoundValues(t *testing.T) {
	for _, c := range []struct {
		low, high int64
		want      []int64
	}{
		{0, 0, []int64{1, 0}}, {0, 3, []int64{3, 2, 1, 0}}, {0, 12, []int64{15, 10, 5, 0}}, {-4301, 60491, []int64{80000, 60000, 40000, 20000, 0, -20000}},
		{-3, 0, []int64{0, -1, -2, -3}}, {0, 36, []int64{40, 30, 20, 10, 0}},
	} {
		if got := ticksOf(c.low, c.high); !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d there are %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
