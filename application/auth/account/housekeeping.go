package account

import (
	"context"
	"errors"
	"time"
)

// Sweep deletes at most n rows of each kind of a store that have expired at now, and returns the highest
// number that it deleted of one kind. No port returns expired rows, so none of them notices.
type Sweep func(ctx context.Context, now time.Time, n int) (int, error)

// Housekeeping deletes expired data, so that nothing grows without bound.
type Housekeeping struct {
	*unit
	sweepers []Sweep
}

// sweepBatch is how many rows one transaction deletes: few enough not to block others
// noticeably.
const sweepBatch = 500

// DeleteExpired deletes expired sign-ups, codes, links, invitations, sessions, limits and audit
// entries, and accounts whose deletion is due. Call it every few minutes; concurrent calls do no
// harm.
func (h *Housekeeping) DeleteExpired(ctx context.Context) error {
	errs := []error{h.deleteLeaving(ctx), h.boundAuditLog(ctx)}
	for _, sweep := range h.sweepers {
		for {
			n, err := sweep(ctx, h.Now(), sweepBatch)
			errs = append(errs, err)
			if err != nil || n < sweepBatch {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// boundAuditLog deletes audit entries that are older than AuditKeep.
func (h *Housekeeping) boundAuditLog(ctx context.Context) error {
	now := h.Now()
	if err := h.reader.PrepareAuditStorage(ctx, now); err != nil || h.AuditKeep == 0 {
		return err
	}
	for {
		n, err := h.reader.DeleteAuditEntries(ctx, now.Add(-h.AuditKeep), sweepBatch)
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
