package market

import (
	"context"
	"github.com/octavo-books/octavo/domain/user"
)

// joinGuarding adds what reports have to do with other rooms.
func joinGuarding(h *Hooks) {
	h.UserErased.Add(of((*Tx).removeReportsOf))
	h.UserMoves.Add(func(ctx context.Context, t *Tx, id user.ID) error {
		reported, err := t.Guarding.HasOpenReports(ctx, id)
		if err == nil && reported {
			err = user.ErrProfileReported
		}
		return err
	})
}
