package auth

import (
	"context"
	"errors"
)

// Housekeeping forgets what has expired, so that nothing grows without end.
type Housekeeping struct{ *deps }

// sweepBatch is how much is removed in one transaction: few enough to keep
// nobody waiting.
const sweepBatch = 500

// DeleteExpired removes expired sign-ups, codes, links, invitations, sessions and
// limits. It is to be called every few minutes; many at once do no harm.
func (h *Housekeeping) DeleteExpired(ctx context.Context) error {
	var errs []error
	for _, s := range h.Sweepers {
		for {
			n, err := s.DeleteExpired(ctx, h.Clock.Now(), sweepBatch)
			errs = append(errs, err)
			if err != nil || n < sweepBatch {
				break
			}
		}
	}
	return errors.Join(errs...)
}
