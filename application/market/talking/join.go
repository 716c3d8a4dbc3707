package talking

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	h.UserErased.Add(market.InRoom(in(open), (*tx).erase))
}

// erase leaves the conversations of a deleted user and deletes the blocks.
func (t *tx) erase(ctx context.Context, id user.ID) error {
	if err := t.LeaveConversations(ctx, id); err != nil {
		return err
	}
	return t.DeleteBlocks(ctx, id)
}
