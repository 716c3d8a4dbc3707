package auth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrImport refuses a line of an import; its message says which and why.
var ErrImport = fault.New(fault.Invalid, "import_invalid", "The file cannot be imported.")

const (
	importStep = 500  // lines in one transaction
	importLine = 1024 // bytes
)

// imported is one line.
type imported struct {
	email user.Email
	hash  string
}

// Import makes confirmed accounts of "email,bcrypt-hash" lines. Addresses that
// have an account are skipped, so a file can be imported again after an error;
// what stood before the bad line is imported by then. Empty lines do not count.
func (p *People) Import(ctx context.Context, file io.Reader) (ImportResult, error) {
	var total ImportResult
	scan := bufio.NewScanner(file)
	scan.Buffer(make([]byte, importLine), importLine)
	var step []imported
	var bad error
	for n := 1; bad == nil && scan.Scan(); n++ {
		text := strings.TrimSpace(scan.Text())
		if text == "" {
			continue
		}
		line, err := p.parseImport(text)
		if err != nil {
			bad = ErrImport.WithMsg(fmt.Sprintf("Line %d: %s", n, err))
			break
		}
		if step = append(step, line); len(step) == importStep {
			if err := p.importStep(ctx, step, &total); err != nil {
				return total, err
			}
			step = step[:0]
		}
	}
	if err := scan.Err(); err != nil && bad == nil {
		bad = err
		if errors.Is(err, bufio.ErrTooLong) {
			bad = ErrImport.WithMsg("A line is longer than 1,024 bytes.")
		}
	}
	err := p.importStep(ctx, step, &total)
	return total, errors.Join(err, bad)
}

func (p *People) parseImport(text string) (imported, error) {
	address, hash, ok := strings.Cut(text, ",")
	if !ok {
		return imported{}, errors.New("must be an address, a comma and a bcrypt hash")
	}
	email, err := user.ParseEmail(address)
	if err != nil {
		return imported{}, err
	}
	hash = strings.TrimSpace(hash)
	return imported{email, hash}, p.Hasher.Check(hash)
}

func (p *People) importStep(ctx context.Context, lines []imported, total *ImportResult) error {
	if len(lines) == 0 {
		return nil
	}
	var done ImportResult
	err := p.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		done = ImportResult{}
		var t Trace
		for _, line := range lines {
			_, exists, err := found(st.Users.ByEmail(ctx, line.email))
			if err != nil {
				return err
			}
			if exists {
				done.Skipped++
				continue
			}
			u := user.User{
				ID: user.ID(p.IDs.Next()), Email: line.email, PasswordHash: line.hash, Lang: user.EN,
				Verified: true, CreatedAt: p.Clock.Now(), Epoch: p.IDs.Next(),
			}
			if err := st.Users.Save(ctx, u); err != nil {
				return err
			}
			t.Entries = append(t.Entries, p.entry(user.Caller{}, "user.imported", u.ID, ""))
			done.Imported++
		}
		return st.Trail.Leave(ctx, t)
	})
	if err == nil {
		total.Imported += done.Imported
		total.Skipped += done.Skipped
	}
	return err
}
