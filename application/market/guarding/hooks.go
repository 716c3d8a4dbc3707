package guarding

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// refuseMove refuses another university to a user about whom there is an open report.
func (t *tx) refuseMove(ctx context.Context, id user.ID) error {
	reported, err := t.HasOpenReports(ctx, id)
	if err == nil && reported {
		err = user.ErrProfileReported
	}
	return err
}
