package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkStandby finds out whether the standby would be used.
func checkStandby(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if s.Storage.DatabaseReadURL == "" || !parts.Market {
		return nil
	}
	lag, err := gormstore.MeasureLag(ctx, s.MainDatabase().SessionURL(), s.Storage.DatabaseReadURL)
	var all []finding
	switch {
	case errors.Is(err, gormstore.ErrNotFollowing):
		return []finding{failed("standby", err, "set DATABASE_READ_URL to a standby of the server of DATABASE_URL; until then it is not used")}
	case err != nil:
		return []finding{warn("standby", config.OneLine(err), "check DATABASE_READ_URL; until the standby answers, the primary serves its reads")}
	case lag >= s.Storage.ReadMaxLag:
		all = []finding{warn("standby", fmt.Sprintf("it follows the primary, but it is more than %v behind", lag.Round(time.Millisecond)),
			"find out why it is slow, or raise READ_MAX_LAG; until then the primary serves its reads")}
	default:
		all = []finding{passed("standby", "in recovery, of the same cluster as the primary, less than %v behind", lag.Round(time.Millisecond))}
	}
	if s.Storage.RedisURL == "" {
		all = append(all, warn("standby", "without REDIS_URL it serves only people who are not signed in",
			"set REDIS_URL, in which replicas tell each other who has just written something"))
	}
	return all
}
