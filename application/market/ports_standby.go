package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Standby is a copy of the database that follows it a moment behind.
type Standby interface {
	// IsFresh reports whether the standby has everything that was committed longer ago than the
	// lag that is allowed.
	IsFresh() bool
	// Failed reports a read that the standby did not answer. It is not fresh until it has been
	// checked again.
	Failed(err error)
}

// WriteMarks remember, for all replicas, who may have written something a moment ago.
type WriteMarks interface {
	// MarkWriter marks a person who is about to write. The mark lasts until a standby that is
	// fresh has whatever is committed within the given time from now. It never shortens a mark.
	MarkWriter(ctx context.Context, id user.ID, within time.Duration) error
	// IsMarked reports whether a person has a mark.
	IsMarked(ctx context.Context, id user.ID) (bool, error)
}
