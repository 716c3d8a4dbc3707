package guarding

import (
	"context"
	"errors"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/writes"
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

func TestOnlyThoseWhoHaveDoneMuchSeeStatisticsOfTheLastMinute(t *testing.T) {
	var lately countedLately
	now := time.Now()
	lately.keep(1, UserStatistics{Posted: 3}, now)
	lately.keep(2, UserStatistics{Posted: 10_000}, now)
	for _, want := range []struct {
		of    user.ID
		after time.Duration
		found bool
	}{{1, 0, false}, {2, 0, true}, {2, countsKept - 1, true}, {2, countsKept, false}, {2, -time.Hour, false}, {3, 0, false}} {
		if s, found := lately.find(want.of, now.Add(want.after)); found != want.found || found && s.Posted != 10_000 {
			t.Errorf("%+v: %+v, %t", want, s, found)
		}
	}
	for id := range user.ID(3 * mostRemembered) {
		lately.keep(id, UserStatistics{Sold: manyCounted}, now)
	}
	if len(lately.of) > mostRemembered {
		t.Errorf("it remembers %d people", len(lately.of))
	}
}

// Only decisions about reports count, and reports are deleted when they count no longer. Their photos are
// not public.
func TestEachWriteIsKnownToChangePublicResponsesOrNot(t *testing.T) {
	writes.Check[Store](t, "DeleteReportsAbout", "UpdateReports", // which are watched
		"AddReport", "DeleteResolvedReports", "AddReportPhoto", "ShowReportPhoto", "DeleteReportPhoto", "RemovePendingReportPhotos", "RemoveReportPhotosBy")
}

// noReports stores nothing.
type noReports struct{ Store }

func (noReports) DeleteReportsAbout(context.Context, user.ID, time.Time) error { return nil }
func (noReports) UpdateReports(context.Context, []report.Report) error         { return nil }

func TestEachWriteThatChangesPublicResponsesPurges(t *testing.T) {
	for name, write := range map[string]func(Store) error{
		"DeleteReportsAbout": func(s Store) error { return s.DeleteReportsAbout(t.Context(), 7, time.Unix(1, 0)) },
		"UpdateReports": func(s Store) error {
			return s.UpdateReports(t.Context(), []report.Report{{About: 7, Action: report.Warn, ResolvedAt: time.Unix(1, 0)}})
		},
	} {
		changes := market.NewPublicChanges()
		if err := write(watch(noReports{}, changes)); err != nil || len(changes.List()) == 0 {
			t.Errorf("%s purges nothing: %v", name, err)
		}
	}
}

func TestManyWhoLookAtOnceAreCountedForOnce(t *testing.T) {
	var kept dashboards
	var counted int
	now := time.Now()
	look := func(campus string) (Dashboard, error) {
		return kept.get(series{campus: campus}, func() time.Time { return now }, func() (Dashboard, error) {
			counted++ // one counts at a time
			return Dashboard{Users: counted}, nil
		})
	}
	must.Together(50, func(int) {
		if d, err := look("yale"); err != nil || d.Users != 1 || !d.CountedAt.Equal(now) {
			t.Errorf("%+v, %v", d, err)
		}
	})
	if d, err := look("brown"); err != nil || d.Users != 2 {
		t.Errorf("another university has %+v, %v", d, err)
	}
	for _, later := range []struct {
		by   time.Duration
		want int
	}{{StatisticsKept - 1, 1}, {1, 3}, {-time.Hour, 4}} { // the last clock was put back
		now = now.Add(later.by)
		if d, err := look("yale"); err != nil || d.Users != later.want {
			t.Errorf("%s later there are %+v, %v; want %d", later.by, d, err, later.want)
		}
	}
}

func TestAFailureToCountIsNotKept(t *testing.T) {
	var kept dashboards
	down := errors.New("down")
	for _, want := range []error{down, nil} {
		_, err := kept.get(series{}, time.Now, func() (Dashboard, error) { return Dashboard{}, want })
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

func TestFewDashboardsAreRemembered(t *testing.T) {
	var kept dashboards
	for begins := range int64(3 * mostDashboards) {
		if _, err := kept.get(series{begins: begins}, time.Now, func() (Dashboard, error) { return Dashboard{}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept.kept) > mostDashboards {
		t.Errorf("it remembers %d", len(kept.kept))
	}
}
