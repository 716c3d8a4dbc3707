package selling

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/pasted"
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
	Accepted  int // valid lines
	Posted    int // of these
	Wrong     int // lines with errors
	LeftOut   int // valid lines of books that the owner has, which are not among the accepted
	File      ImportFile
	CreatedAt time.Time
}

// ImportFile is how a file of books is read.
type ImportFile struct {
	Encoding, Separator string
	Header              []string         // the names of the columns
	Fields              []string         // what they mean: of BookColumns; "": ignored
	Dates               pasted.DateOrder // of days and months
	Blank               int              // blank lines, which are left out
	Totals              []int            // lines of totals, which are left out: the first
}

// ImportRow is a line of a file as it was sent.
type ImportRow struct {
	Line  int
	Cells []string // none: a quote is not closed
	Text  string   // the whole line, if it has no cells
}

// ImportLine is a valid line that is not posted yet.
type ImportLine struct {
	Line    int
	Details book.Details
}
