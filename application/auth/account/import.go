package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account/accountfile"
	"github.com/octavo-books/octavo/domain/user"
)

// importBatch is how many accounts one transaction creates. Sign-ups and other imports of
// the same addresses wait for it.
const importBatch = 100

// ImportOptions configure Import.
type ImportOptions struct {
	Strict     bool // import nothing if any line is bad
	DryRun     bool // check and count, but change nothing
	AllowRoles bool // accept lines that create admins and owners
	// FormatHash returns the hash of a line with a salt of its own, in a form that
	// PasswordHasher compares. Nil refuses such lines.
	FormatHash func(hash, salt string) (string, error)
	// Bad is called for every bad line. May be nil.
	Bad func(line int, why string)
	// Progress is called with the number of bytes read so far. May be nil.
	Progress func(read int64)
}

// ImportResult counts the lines of an import by outcome.
type ImportResult struct {
	Imported int
	Skipped  int // the address already has an account, or had one until a change that can be undone
	Bad      int
}

// Import creates accounts from lines "email,hash", or from CSV with a header row that
// names columns among email, hash, salt, verified, role, firstName, lastName and university.
// It reads line by line, so the file may have any size, and ignores empty lines and a
// byte order mark. It skips addresses that have an account, or had one until a change that can
// be undone, so a file can be imported again after its lines were corrected or the database failed. It publishes no events, which
// would flood the webhook service with deliveries about accounts that are not new.
//
// With Strict it reads the file twice and creates no account if any line is bad.
func (s *Users) Import(ctx context.Context, file io.ReadSeeker, o ImportOptions) (ImportResult, error) {
	if o.Strict {
		bad, err := s.checkImport(file, o)
		if err != nil || bad > 0 {
			return ImportResult{Bad: bad}, err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return ImportResult{}, fmt.Errorf("read the file again: %w", err)
		}
	}
	var total ImportResult
	batch, known := make([]accountfile.Account, 0, importBatch), map[user.Email]bool{}
	flush := func() error {
		err := s.importAll(ctx, batch, o, known, &total)
		batch = batch[:0]
		return err
	}
	err := s.readImport(file, o, func(a accountfile.Account) error {
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
func (s *Users) checkImport(file io.Reader, o ImportOptions) (bad int, err error) {
	err = s.readImport(file, o, func(accountfile.Account) error { return nil }, &bad)
	return bad, err
}

// readImport calls take for each good line and counts the bad ones.
func (s *Users) readImport(file io.Reader, o ImportOptions, take func(accountfile.Account) error, bad *int) error {
	reader := accountfile.NewReader(file, accountfile.Rules{
		AllowRoles: o.AllowRoles, FormatHash: o.FormatHash, CheckHash: s.Hasher.CheckHash, Campus: s.Campus,
	})
	for {
		a, err := reader.Next()
		var line accountfile.LineError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &line):
			*bad++
			if o.Bad != nil {
				o.Bad(line.Number, line.Why)
			}
			continue
		case err != nil:
			return err
		}
		if err := take(a); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(reader.BytesRead())
		}
	}
}

// errDryRun rolls back the transaction of a dry run.
var errDryRun = errors.New("dry run")

// importAll creates the accounts of a batch in one transaction. It locks their
// addresses, so that two imports of the same people, or an import and a sign-up, wait
// for each other and cannot deadlock. In a dry run, known holds the addresses of the
// earlier batches, which were rolled back.
func (s *Users) importAll(
	ctx context.Context, batch []accountfile.Account, o ImportOptions, known map[user.Email]bool, total *ImportResult,
) error {
	var done ImportResult
	addresses := make([]user.Email, len(batch))
	for i, a := range batch {
		addresses[i] = a.Email
	}
	err := s.WithAddressLock(ctx, addresses, func(ctx context.Context, st *tx) error {
		done = ImportResult{}
		var effects auth.SideEffects
		for _, a := range batch {
			taken, err := isTaken(ctx, st, a.Email, s.Now())
			if err != nil {
				return err
			}
			if taken || known[a.Email] {
				done.Skipped++
				continue
			}
			u := a.User(user.ID(s.NextID()), s.NextID(), s.Now())
			if err := st.SaveUser(ctx, u); err != nil {
				return err
			}
			effects.AuditEntries = append(effects.AuditEntries, s.AuditEntry(user.Caller{}, "user.imported", u.ID, a.RoleDetail()))
			done.Imported++
		}
		if o.DryRun {
			return errDryRun
		}
		return st.RecordSideEffects(ctx, effects)
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

// isTaken reports whether an account has a locked address, or may get it back by undoing a change.
func isTaken(ctx context.Context, st *tx, address user.Email, now time.Time) (bool, error) {
	if _, exists, err := auth.Optional(st.LockUserByEmail(ctx, address)); err != nil || exists {
		return exists, err
	}
	return st.IsEmailReserved(ctx, address, 0, now)
}
