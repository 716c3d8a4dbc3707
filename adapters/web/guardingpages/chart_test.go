package guardingpages

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/user"
)

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
	} {
		days := make([]guarding.Day, len(c.days))
		for i, n := range c.days {
			days[i] = guarding.Day{Date: time.Unix(0, 0), Sold: n}
		}
		drawn := newChart(locale.Format{Lang: user.EN}, "Books sold", days, nil, func(d guarding.Day) int64 { return int64(d.Sold) }, func(n int64) string { return web.Number(user.EN, int(n)) })
		if drawn.Line != c.line {
			t.Errorf("%s: the line is at %d, want %d", name, drawn.Line, c.line)
		}
		for _, b := range drawn.Bars {
			if b.Y < 0 || b.Height < 0 || b.Y+b.Height > chartHigh {
				t.Errorf("%s: a bar leaves the chart: %+v", name, b)
			}
		}
	}
}

func TestAChartComparesWithThePeriodBeforeOnTheSameScale(t *testing.T) {
	sold := func(values ...int) (days []guarding.Day) {
		for _, n := range values {
			days = append(days, guarding.Day{Date: time.Unix(0, 0), Sold: n})
		}
		return days
	}
	c := newChart(locale.Format{Lang: user.EN}, "Books sold", sold(2, 0), sold(4, 1), func(d guarding.Day) int64 { return int64(d.Sold) }, func(n int64) string { return web.Number(user.EN, int(n)) })
	if c.High != "4" || c.Low != "0" || c.Before != "3,0 9,75" || c.Bars[0].Height != 50 || c.Summary != "2 in 2 days, at most 2 in one day." {
		t.Errorf("%+v", c)
	}
}
