package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Statistics reads current statistics.
type Statistics struct {
	reader StatisticsReader
	clock  Clock
}

// NewStatistics returns the use cases of statistics.
func NewStatistics(reader StatisticsReader, clock Clock) *Statistics {
	return &Statistics{reader, clock}
}

// ForUser returns the caller's own statistics.
func (s *Statistics) ForUser(ctx context.Context, by user.Caller) (UserStatistics, error) {
	if err := by.MustBeStudent(); err != nil {
		return UserStatistics{}, err
	}
	return s.reader.ReadUserStatistics(ctx, by.ID)
}

// Dashboard returns the statistics of the whole market to admins.
func (s *Statistics) Dashboard(ctx context.Context, by user.Caller) (Dashboard, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return Dashboard{}, err
	}
	today := s.clock.Now().UTC().Truncate(24 * time.Hour)
	return s.reader.ReadDashboard(ctx, today.AddDate(0, 0, 1-SeriesDays), today)
}
