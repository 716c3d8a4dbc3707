package serving

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// storeAttempts stores the results of attempts for other processes and restarts. After a
// failure it keeps them for the next call.
func (s *Service) storeAttempts(ctx context.Context) {
	reports := s.sending.Attempts.Take()
	if len(reports) == 0 {
		return
	}
	if err := s.ports.Store.RecordAttempts(ctx, reports); err != nil {
		s.sending.Attempts.Restore(reports)
		if ctx.Err() == nil {
			s.log.Error("storing the states of the rules failed", "error", err)
		}
	}
}

// lastStoreTimeout bounds how long the shutdown waits for the statistics to be stored.
const lastStoreTimeout = 2 * time.Second

// storeAttemptsAtTheEnd stores the results of the last attempts at the shutdown.
func (s *Service) storeAttemptsAtTheEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), lastStoreTimeout)
	defer cancel()
	s.storeAttempts(ctx)
}

// ListRules is Admin.ListRules with the attempts of this process until now.
func (s *Service) ListRules(ctx context.Context) ([]inbox.RuleStatus, error) {
	s.storeAttempts(ctx)
	return s.Admin.ListRules(ctx)
}
