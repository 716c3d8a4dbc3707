package guarding

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
)

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
