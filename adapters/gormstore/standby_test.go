package gormstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// lagAt returns how far a standby is behind after checks, in seconds; -1 if that is unknown.
func lagAt(now int, checks ...[3]int64) int {
	clock := time.Unix(0, 0)
	f := gormstore.NewFreshness(3*time.Second, func() time.Time { return clock })
	for _, c := range checks {
		f.Update(time.Unix(c[0], 0), c[1], c[2])
	}
	clock = time.Unix(int64(now), 0)
	lag, known := f.Lag()
	if !known {
		return -1
	}
	return int(lag / time.Second)
}

func TestAStandbyIsAsFreshAsWhatItHasReplayed(t *testing.T) {
	for name, c := range map[string]struct {
		now    int
		checks [][3]int64 // when the primary was asked, its position, what the standby had replayed after that
		want   int
	}{
		"never checked":                          {1, nil, -1},
		"has replayed all":                       {1, [][3]int64{{1, 100, 100}}, 0},
		"has replayed more than was asked for":   {1, [][3]int64{{1, 100, 105}}, 0},
		"has not replayed yet":                   {1, [][3]int64{{1, 100, 90}}, -1},
		"a second behind":                        {3, [][3]int64{{1, 100, 90}, {2, 200, 150}, {3, 300, 250}}, 1},
		"stands still":                           {4, [][3]int64{{1, 100, 100}, {2, 200, 100}, {3, 300, 100}, {4, 400, 100}}, 3},
		"catches up":                             {5, [][3]int64{{1, 100, 100}, {2, 200, 100}, {3, 300, 100}, {4, 400, 100}, {5, 500, 450}}, 1},
		"catches up after longer than it may be": {9, [][3]int64{{1, 100, 100}, {2, 200, 100}, {9, 900, 250}}, 7},
		"is not asked any more":                  {30, [][3]int64{{1, 100, 100}}, 29},
		"an idle primary":                        {5, [][3]int64{{1, 100, 100}, {3, 100, 100}, {5, 100, 100}}, 0},
	} {
		if got := lagAt(c.now, c.checks...); got != c.want {
			t.Errorf("%s: %d s behind, want %d", name, got, c.want)
		}
	}
}

func TestOnlyAStandbyOfThePrimaryIsCompared(t *testing.T) {
	primary := gormstore.NewPosition(1, 2, false)
	for name, c := range map[string]struct {
		system, timeline int64
		inRecovery       bool
		want             string
	}{
		"a standby":            {1, 2, true, ""},
		"another cluster":      {9, 2, true, "another cluster"},
		"promoted":             {1, 3, false, "was promoted"},
		"the primary":          {1, 2, false, "not in recovery"},
		"of an earlier leader": {1, 1, true, "on timeline 1 instead of 2"},
	} {
		err := gormstore.NewPosition(c.system, c.timeline, c.inRecovery).Follows(primary)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, gormstore.ErrNotFollowing) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := gormstore.NewPosition(1, 2, true).Follows(gormstore.NewPosition(1, 2, true)); !errors.Is(err, gormstore.ErrNotFollowing) {
		t.Errorf("a standby of a standby: %v", err)
	}
}
