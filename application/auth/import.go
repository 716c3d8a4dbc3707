package auth

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrImport refuses a file of accounts as a whole; its message says why.
var ErrImport = fault.New(fault.Invalid, "import_invalid", "The file cannot be imported.")

// importBatch is how many accounts one transaction makes.
const importBatch = 500

// ImportOptions say how a file of accounts is imported.
type ImportOptions struct {
	Strict     bool // import nothing if a line is bad
	DryRun     bool // check and count, and change nothing
	AllowRoles bool // lines may make admins and owners
	// Bad is told of every bad line. May be nil.
	Bad func(line int, why string)
	// Progress is told of the bytes read. May be nil.
	Progress func(read int64)
}

// ImportResult counts the lines of an import by their outcome.
type ImportResult struct {
	Imported int
	Skipped  int // the address has an account already
	Bad      int
}

// Import makes accounts of lines "email,hash", or of CSV with a header row that names
// columns among email, hash, verified, role, firstName, lastName and university. It reads
// line by line, so that a file may be of any size. Empty lines and a byte order mark do
// not count. Addresses that have an account are skipped: a file can be imported again,
// after lines were mended or the database failed.
//
// If strict, it reads the file twice and makes no account while one line is bad.
func (p *Users) Import(ctx context.Context, file io.ReadSeeker, o ImportOptions) (ImportResult, error) {
	if o.Strict {
		bad, err := p.checkImport(file, o)
		if err != nil || bad > 0 {
			return ImportResult{Bad: bad}, err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return ImportResult{}, fmt.Errorf("read the file again: %w", err)
		}
	}
	var total ImportResult
	batch, known := make([]account, 0, importBatch), map[user.Email]bool{}
	flush := func() error {
		err := p.importAll(ctx, batch, o, known, &total)
		batch = batch[:0]
		return err
	}
	err := p.readImport(file, o, func(a account) error {
		if batch = append(batch, a); len(batch) < importBatch {
			return nil
		}
		return flush()
	}, &total.Bad)
	if err == nil {
		err = flush()
	}
	return total, err
}

// checkImport counts the bad lines.
func (p *Users) checkImport(file io.Reader, o ImportOptions) (bad int, err error) {
	err = p.readImport(file, o, func(account) error { return nil }, &bad)
	return bad, err
}

// readImport hands over each good line and counts the bad ones.
func (p *Users) readImport(file io.Reader, o ImportOptions, take func(account) error, bad *int) error {
	reader := newImportReader(file)
	for {
		a, err := reader.next(p.Hasher, o.AllowRoles)
		var line lineError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &line):
			*bad++
			if o.Bad != nil {
				o.Bad(line.number, line.why)
			}
			continue
		case err != nil:
			return err
		}
		if err := take(a); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(reader.read)
		}
	}
}

// errDryRun rolls a transaction back.
var errDryRun = errors.New("dry run")

// importAll makes the accounts of a batch in one transaction. It names their addresses to
// InTurn, so that two imports of the same people, or an import and a sign-up, wait for
// each other and not in a circle. In a dry run known stands in for what earlier batches
// would have made.
func (p *Users) importAll(ctx context.Context, batch []account, o ImportOptions, known map[user.Email]bool, total *ImportResult) error {
	var done ImportResult
	addresses := make([]user.Email, len(batch))
	for i, a := range batch {
		addresses[i] = a.email
	}
	err := p.Database.WithAddressLock(ctx, addresses, func(ctx context.Context, st Stores) error {
		done = ImportResult{}
		var t SideEffects
		for _, a := range batch {
			_, exists, err := findOptional(st.Users.LockUserByEmail(ctx, a.email))
			if err != nil {
				return err
			}
			if exists || known[a.email] {
				done.Skipped++
				continue
			}
			u := a.user(user.ID(p.IDs.Next()), p.IDs.Next(), p.Clock.Now())
			if err := st.Users.SaveUser(ctx, u); err != nil {
				return err
			}
			t.AuditEntries = append(t.AuditEntries, p.auditEntry(user.Caller{}, "user.imported", u.ID, a.roleDetail()))
			done.Imported++
		}
		if o.DryRun {
			return errDryRun
		}
		return st.SideEffects.RecordSideEffects(ctx, t)
	})
	if o.DryRun && errors.Is(err, errDryRun) {
		for _, address := range addresses {
			known[address] = true
		}
		err = nil
	}
	if err == nil {
		total.Imported += done.Imported
		total.Skipped += done.Skipped
	}
	return err
}
