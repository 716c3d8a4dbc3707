package market

import (
	"context"
	"github.com/octavo-books/octavo/domain/user"
)

// joinTalking adds what conversations have to do with other rooms.
func joinTalking(h *Hooks) {
	h.UserErased.Add(func(ctx context.Context, t *tx, id user.ID) error {
		if err := t.Talking.LeaveConversations(ctx, id); err != nil {
			return err
		}
		return t.Talking.DeleteBlocks(ctx, id)
	})
}
