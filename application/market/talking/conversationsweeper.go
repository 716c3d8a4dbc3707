package talking

import (
	"context"

	"github.com/octavo-books/octavo/domain/conversation"
)

// ConversationSweeper deletes conversations after conversation.Retention. Every replica may
// run one.
type ConversationSweeper struct{ deps unit }

// newConversationSweeper returns the use case.
func newConversationSweeper(d unit) *ConversationSweeper { return &ConversationSweeper{d} }

// conversationSweepBatch bounds a transaction.
const conversationSweepBatch = 100

// Sweep returns how many conversations it deleted.
func (s *ConversationSweeper) Sweep(ctx context.Context) (deleted int, err error) {
	before := s.deps.Clock.Now().Add(-conversation.Retention)
	for {
		var n int
		err := s.deps.WithTx(ctx, func(ctx context.Context, t *tx) (err error) {
			n, err = t.DeleteConversationsBefore(ctx, before, conversationSweepBatch)
			return err
		})
		deleted += n
		if err != nil || n < conversationSweepBatch {
			return deleted, err
		}
	}
}
