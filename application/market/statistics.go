package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Statistics count what has happened, as it stands when they are asked for.
type Statistics struct {
	tally Tally
	clock Clock
}

// NewStatistics makes the statistics.
func NewStatistics(t Tally, clock Clock) *Statistics { return &Statistics{t, clock} }

// OfUser is the caller's own tally.
func (s *Statistics) OfUser(ctx context.Context, by user.Caller) (UserStatistics, error) {
	if err := by.MustBeStudent(); err != nil {
		return UserStatistics{}, err
	}
	return s.tally.OfUser(ctx, by.ID)
}

// OfMarket is what the dashboard shows to admins.
func (s *Statistics) OfMarket(ctx context.Context, by user.Caller) (Dashboard, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return Dashboard{}, err
	}
	today := s.clock.Now().UTC().Truncate(24 * time.Hour)
	return s.tally.OfMarket(ctx, today.AddDate(0, 0, 1-SeriesDays), today)
}
