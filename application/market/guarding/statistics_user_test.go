package guarding

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

func TestOnlyThoseWhoHaveDoneMuchSeeStatisticsOfTheLastMinute(t *testing.T) {
	var lately countedLately
	now := time.Now()
	lately.keep(1, UserStatistics{Posted: 3}, now)
	lately.keep(2, UserStatistics{Posted: 10_000}, now)
	for _, want := range []struct {
		of    user.ID
		after time.Duration
		found bool
	}{{1, 0, false}, {2, 0, true}, {2, countsKept - 1, true}, {2, countsKept, false}, {3, 0, false}} {
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
