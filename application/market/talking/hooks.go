package talking

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// erase leaves the conversations of a deleted user and deletes the blocks.
func (t *tx) erase(ctx context.Context, id user.ID) error {
	if err := t.LeaveConversations(ctx, id); err != nil {
		return err
	}
	return t.DeleteBlocks(ctx, id)
}
