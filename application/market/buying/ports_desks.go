package buying

import (
	"context"

	"github.com/octavo-books/octavo/domain/desk"
)

// DeskStore stores the desks, one a university, by desk.Key.
type DeskStore interface {
	// SaveDesk stores the desk of a university and replaces an earlier one. If limit other
	// universities have desks, the error is desk.ErrTooMany.
	SaveDesk(ctx context.Context, d desk.Desk, limit int) error
	// DeleteDesk deletes the desk of a university; desk.ErrNotFound if it has none.
	DeleteDesk(ctx context.Context, university string) error
}

// DeskReader reads the desks.
type DeskReader interface {
	// FindDesks loads the desks of universities, in no particular order. It leaves out
	// those without one.
	FindDesks(ctx context.Context, universities ...string) ([]desk.Desk, error)
	// ListDesks lists at most n desks in the order of their keys.
	ListDesks(ctx context.Context, n int) ([]desk.Desk, error)
}
