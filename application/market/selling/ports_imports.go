package selling

import (
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
