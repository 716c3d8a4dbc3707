package guarding

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/octavo-books/octavo/test/must"
)

func TestADayBeginsWithItsFirstMomentWhereClocksChangeAtMidnight(t *testing.T) {
	for name, c := range map[string]struct {
		year  int
		month time.Month
		day   int
		want  string
	}{
		"Europe/London":     {2026, time.March, 29, "2026-03-29T00:00:00Z"},
		"Africa/Cairo":      {2024, time.April, 26, "2024-04-26T01:00:00+03:00"}, // there is no midnight
		"Asia/Beirut":       {2022, time.March, 27, "2022-03-27T01:00:00+03:00"},
		"America/Sao_Paulo": {2018, time.February, 18, "2018-02-18T00:00:00-03:00"}, // 23:00 to 24:00 occurs twice
		"America/Havana":    {2025, time.November, 2, "2025-11-02T00:00:00-04:00"},
		"Asia/Kathmandu":    {2026, time.January, 1, "2026-01-01T00:00:00+05:45"},
	} {
		zone := must.Get(time.LoadLocation(name))(t)
		got := startOfDay(c.year, c.month, c.day, zone)
		if got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: the day begins at %s, want %s", name, got.Format(time.RFC3339), c.want)
		}
	}
}

func TestTheSeriesHasEveryDayUntilTheEndOfToday(t *testing.T) {
	zone := must.Get(time.LoadLocation("Europe/London"))(t)
	days := daysUntil(time.Date(2026, time.March, 30, 12, 0, 0, 0, zone), 3)
	want := []string{"2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00+01:00", "2026-03-31T00:00:00+01:00"}
	for i, w := range want {
		if len(days) != len(want) || days[i].Format(time.RFC3339) != w {
			t.Fatalf("the days are %v, want %v", days, want)
		}
	}
}
