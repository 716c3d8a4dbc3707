package guarding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	in := in(open)
	h.UserErased.Add(market.InRoom(in, (*tx).removeReportsOf))
	h.UserMoves.Add(market.InRoom(in, (*tx).refuseMove))
}

// refuseMove refuses another university to a user about whom there is an open report.
func (t *tx) refuseMove(ctx context.Context, id user.ID) error {
	reported, err := t.HasOpenReports(ctx, id)
	if err == nil && reported {
		err = user.ErrProfileReported
	}
	return err
}
