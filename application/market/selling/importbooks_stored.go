package selling

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// ImportLife is how long an import that does not run is stored.
const ImportLife = 7 * 24 * time.Hour

const (
	importSweep  = 100
	batchTimeout = 30 * time.Second // a batch is posted much sooner
)

// The errors of stored imports.
var (
	ErrImportNotFound = fault.New(fault.NotFound, "import_not_found", "There is no file. Choose one first.")
	ErrImportRunning  = fault.New(fault.Conflict, "import_running", "Your last file is still being listed. Wait, or cancel it first.")
	ErrImportState    = fault.New(fault.Conflict, "import_state", "This file cannot be listed any more. Choose it again.")
)

// Prepare checks a file and stores it until the caller starts or replaces it, or for ImportLife. likely is the order
// of its dates if nothing in the file shows it. A file that lacks columns is stored if it has as many as must be given, so
// that its owner can say what they are. While the last file is being posted, the error is ErrImportRunning.
func (i *Imports) Prepare(ctx context.Context, by user.Caller, file []byte, likely pasted.DateOrder) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	read, err := openBooks(file)
	if err != nil {
		return err
	}
	var lines []importLine
	s := StoredImport{Owner: by.ID, Wrong: len(read.rows)}
	if lacking := read.Missing(); lacking == nil {
		read.Dates = read.orderOf(read.rows, likely, i.deps.Currency, i.deps.Clock.Now())
		lines, _ = i.readerOf(read.ImportFile).readAll(read.rows)
		s.Accepted, s.Wrong = len(lines), len(read.rows)-len(lines)
	} else if len(read.Header) < requiredColumns || len(read.rows) == 0 {
		return lacking
	}
	s.File = read.ImportFile
	return i.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		last, err := t.LockImport(ctx, by.ID)
		if err == nil && last.State == ImportRunning {
			return ErrImportRunning
		}
		if err != nil && !errors.Is(err, ErrImportNotFound) {
			return err
		}
		stored := s
		stored.ID, stored.CreatedAt = t.IDs.Next(), t.Now
		return t.SaveImport(ctx, stored, read.rows, storedLines(lines))
	})
}

// requiredColumns is how many columns must be given.
var requiredColumns = func() (n int) {
	for _, required := range bookColumns {
		if required {
			n++
		}
	}
	return n
}()

func storedLines(lines []importLine) []ImportLine {
	out := make([]ImportLine, len(lines))
	for n, l := range lines {
		out[n] = ImportLine{l.line, l.details}
	}
	return out
}

// LinesPerDay returns how many lines of files a person may import in a day, and how many a campus store.
func (i *Imports) LinesPerDay() (person, store int) {
	return importQuota(i.deps.Limits, false).Max, importQuota(i.deps.Limits, true).Max
}

// Bounds of what Progress shows of a file.
const (
	maxShownRejections = 50
	maxShownLines      = 10
	maxShownRows       = 3
)

// ImportProgress is the last file of a person.
type ImportProgress struct {
	StoredImport
	Rejected []RejectedRow // the first
	Lines    []ImportLine  // the first valid lines, as they are read, until they are posted
	Known    []int         // valid lines of books that the caller has, until they are posted
	Rows     []ImportRow   // the first rows of a file that lacks columns
}

// Progress returns the caller's last file; ErrImportNotFound if there is none.
func (i *Imports) Progress(ctx context.Context, by user.Caller) (ImportProgress, error) {
	s, err := i.last(ctx, by)
	if err != nil {
		return ImportProgress{}, err
	}
	p := ImportProgress{StoredImport: s}
	if p.Rejected, err = i.rejectedRows(ctx, s, maxShownRejections); err != nil || s.State != ImportChecked {
		return p, err
	}
	if p.Lines, err = i.reader.ListImportLines(ctx, by.ID, maxShownLines); err != nil {
		return p, err
	}
	if p.Known, err = i.known(ctx, by, s); err != nil {
		return p, err
	}
	p.Rows, err = i.reader.ListFirstRows(ctx, by.ID, maxShownRows)
	return p, err
}

func (i *Imports) last(ctx context.Context, by user.Caller) (StoredImport, error) {
	if err := by.MustBeStudent(); err != nil {
		return StoredImport{}, err
	}
	return i.reader.FindImport(ctx, by.ID)
}

// Start posts the lines of the caller's checked file in jobs: those of books that the caller has only if again is true.
// Starting it once more has no effect; another id, or a file in another state, is ErrImportState.
func (i *Imports) Start(ctx context.Context, by user.Caller, id int64, again bool) error {
	last, err := i.last(ctx, by)
	if err != nil {
		return err
	}
	var known []int
	if last.State == ImportChecked && !again {
		if known, err = i.known(ctx, by, last); err != nil {
			return err
		}
	}
	return i.changeStored(ctx, by, id, func(ctx context.Context, t *tx, s StoredImport) error {
		switch {
		case s.State == ImportRunning || s.State == ImportDone:
			return nil
		case s.State != ImportChecked || s.Accepted == 0:
			return ErrImportState
		}
		if err := t.DeleteValidRows(ctx, by.ID); err != nil {
			return err
		}
		if err := t.leaveOut(ctx, &s, known); err != nil {
			return err
		}
		if err := t.useImportLines(ctx, by, s.Accepted); err != nil {
			return err
		}
		s.State = ImportRunning
		if err := t.UpdateImport(ctx, s); err != nil {
			return err
		}
		return t.Enqueue(ctx, market.PostImport, int64(by.ID), "", s.ID)
	})
}

// Cancel ends the posting of the caller's file. What is posted stays for sale.
func (i *Imports) Cancel(ctx context.Context, by user.Caller, id int64) error {
	return i.changeStored(ctx, by, id, func(ctx context.Context, t *tx, s StoredImport) error {
		if s.State == ImportDone || s.State == ImportCancelled {
			return nil
		}
		return t.cancelImport(ctx, s)
	})
}

func (t *tx) cancelImport(ctx context.Context, s StoredImport) error {
	s.State = ImportCancelled
	if _, err := t.TakeImportLines(ctx, s.Owner, MaxImportLines); err != nil {
		return err
	}
	return t.UpdateImport(ctx, s)
}

func (i *Imports) changeStored(ctx context.Context, by user.Caller, id int64, fn func(context.Context, *tx, StoredImport) error) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return i.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		s, err := t.LockImport(ctx, by.ID)
		if err != nil {
			return err
		}
		if s.ID != id {
			return ErrImportState
		}
		return fn(ctx, t, s)
	})
}

// postImport posts the next lines of a running import.
func (t *tx) postImport(ctx context.Context, owner user.ID, id int64) error {
	users, err := t.LockUsers(ctx, owner)
	if err != nil {
		return err
	}
	s, err := t.LockImport(ctx, owner)
	if errors.Is(err, ErrImportNotFound) || err == nil && (s.ID != id || s.State != ImportRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.Caller = users[owner]; t.Caller.MayTrade() != nil {
		return t.cancelImport(ctx, s)
	}
	next, err := t.TakeImportLines(ctx, owner, importBatch)
	if err != nil {
		return err
	}
	lines := make([]importLine, len(next))
	for n, l := range next {
		lines[n] = importLine{l.Line, l.Details}
	}
	if t.Marks != nil { // the request that started the job, and with it its mark, ended long ago
		if err := t.Marks.MarkWriter(ctx, owner, batchTimeout); err != nil {
			return err
		}
	}
	if _, err := t.postBooks(ctx, user.Caller{ID: owner}, lines); err != nil {
		return err
	}
	if s.Posted += len(lines); len(lines) < importBatch {
		s.State = ImportDone
		return t.UpdateImport(ctx, s)
	}
	if err := t.UpdateImport(ctx, s); err != nil {
		return err
	}
	return t.Enqueue(ctx, market.PostImport, int64(owner), "", id)
}

// DeleteOld deletes imports after ImportLife, and returns how many.
func (i *Imports) DeleteOld(ctx context.Context) (n int, err error) {
	err = i.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		n, err = t.DeleteImportsBefore(ctx, t.Now.Add(-ImportLife), importSweep)
		return err
	})
	return n, err
}
