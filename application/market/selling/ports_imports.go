package selling

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// ImportState is the state of a stored import. The numbers are stored.
type ImportState int

// The states.
const (
	ImportChecked   ImportState = iota // waits for its owner's confirmation
	ImportRunning                      // jobs post its lines
	ImportDone                         // all are posted
	ImportCancelled                    // by its owner, or because its owner may not trade any more
)

// StoredImport is the last file of a person who lists many books on pages.
type StoredImport struct {
	ID        int64
	Owner     user.ID
	State     ImportState
	Accepted  int                   // valid lines
	Posted    int                   // of these
	Rejected  []market.RejectedLine // the first maxKeptRejections
	Unnamed   int                   // further rejected lines
	CreatedAt time.Time
}

// ImportLine is a valid line that is not posted yet.
type ImportLine struct {
	Line    int
	Details book.Details
}

// ImportStore stores one import a person.
type ImportStore interface {
	// SaveImport stores a new import with its lines, and replaces the owner's earlier one.
	SaveImport(ctx context.Context, i StoredImport, lines []ImportLine) error
	// LockImport loads and locks the import of an owner; ErrImportNotFound if there is none.
	LockImport(ctx context.Context, owner user.ID) (StoredImport, error)
	// UpdateImport stores the state of a locked import and how many lines are posted.
	UpdateImport(ctx context.Context, i StoredImport) error
	// TakeImportLines removes the first n lines of a locked import and returns them.
	TakeImportLines(ctx context.Context, owner user.ID, n int) ([]ImportLine, error)
	// DeleteImportOf deletes the import of an owner, if there is one.
	DeleteImportOf(ctx context.Context, owner user.ID) error
	// DeleteImportsBefore deletes at most n imports that were created before a time and do not
	// run, and returns how many.
	DeleteImportsBefore(ctx context.Context, then time.Time, n int) (int, error)
}

// ImportReader reads the import of an owner; ErrImportNotFound if there is none.
type ImportReader interface {
	FindImport(ctx context.Context, owner user.ID) (StoredImport, error)
}
