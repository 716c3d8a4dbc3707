package conversation

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// MaxBlocks is how many people a user can block.
const MaxBlocks = 1000

// Block keeps two people from exchanging messages, whichever of them has blocked the other.
type Block struct {
	ID        int64 // ascending in the order of creation
	By, Of    user.ID
	CreatedAt time.Time
}

// The errors of blocks.
var (
	ErrBlockSelf = fault.New(fault.Invalid, "block_self", "You cannot block yourself.").
			WithField("userId", "Must be somebody else.")
	ErrTooManyBlocks = fault.New(fault.Conflict, "too_many_blocks", "You have blocked 1,000 people, which is the limit. Unblock some first.")
)
