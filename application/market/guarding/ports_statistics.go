package guarding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// StatisticsReader computes the statistics.
type StatisticsReader interface {
	ReadUserStatistics(ctx context.Context, id user.ID) (UserStatistics, error)
	// ReadDashboard covers the books that are listed at a university, by its book.Key, and the
	// people who study there; "" is the whole market. Its daily series has the days that begin at
	// these times, the last of which ends that series. Each is a multiple of CounterPeriod.
	// Courses are spelled as in most sales of the whole market.
	ReadDashboard(ctx context.Context, campus string, days []time.Time) (Dashboard, error)
}
