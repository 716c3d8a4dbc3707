package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// QuotaStore counts what people do, by the names of quotas.
type QuotaStore interface {
	// LockUse locks and loads what a user has used of a quota; the zero Use if nothing yet.
	// The lock includes a use that is not stored yet.
	LockUse(ctx context.Context, id user.ID, quota string) (limit.Use, error)
	SaveUse(ctx context.Context, id user.ID, quota string, u limit.Use) error
	// DeleteUses deletes all that is counted of a user.
	DeleteUses(ctx context.Context, id user.ID) error
}

// UseQuota counts n uses of a quota by a user. If they are too many, the error is
// limit.ErrQuota; return it, so that the transaction changes nothing.
func (t *Tx) UseQuota(ctx context.Context, id user.ID, q limit.Quota, n int) error {
	used, err := t.Quotas.LockUse(ctx, id, q.Name)
	if err != nil {
		return err
	}
	used, err = q.Take(used, n, t.Now)
	if err != nil {
		return err
	}
	return t.Quotas.SaveUse(ctx, id, q.Name, used)
}
