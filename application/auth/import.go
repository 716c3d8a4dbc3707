package auth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrImport refuses a line of an import; its message says which and why.
var ErrImport = fault.New(fault.Invalid, "import_invalid", "The file cannot be imported.")

const (
	importStep  = 500  // lines in one transaction
	importLine  = 1024 // bytes
	importBytes = 64 << 20
)

// imported is one line.
type imported struct {
	email user.Email
	hash  string
}

// Import makes confirmed accounts of "email,bcrypt-hash" lines, of 64 MiB at
// most. Every line is checked before the first account is made: with a bad one
// nothing is imported. Addresses that have an account are skipped, so the same
// file can be imported again after the database failed. Empty lines and a byte
// order mark do not count.
func (p *People) Import(ctx context.Context, file io.Reader) (ImportResult, error) {
	var total ImportResult
	lines, err := p.parseImport(file)
	if err != nil {
		return total, err
	}
	for step := range slices.Chunk(lines, importStep) {
		if err := p.importStep(ctx, step, &total); err != nil {
			return total, err
		}
	}
	return total, nil
}

func (p *People) parseImport(file io.Reader) ([]imported, error) {
	scan := bufio.NewScanner(file)
	scan.Buffer(make([]byte, importLine), importLine)
	var lines []imported
	n, size := 0, 0
	for scan.Scan() {
		n++
		text := scan.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		line, err := p.parseImported(text)
		if err != nil {
			return nil, refuseImport("Line %d: %s", n, strings.TrimSuffix(err.Error(), "."))
		}
		if size += len(text); size > importBytes {
			return nil, refuseImport("The file is larger than 64 MiB, divide it")
		}
		lines = append(lines, line)
	}
	if errors.Is(scan.Err(), bufio.ErrTooLong) {
		return nil, refuseImport("Line %d: is longer than 1,024 bytes", n+1)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("read the file: %w; nothing was imported", err)
	}
	return lines, nil
}

func refuseImport(format string, args ...any) error {
	return ErrImport.WithMsg(fmt.Sprintf(format, args...) + ". Nothing was imported.")
}

func (p *People) parseImported(text string) (imported, error) {
	address, hash, ok := strings.Cut(text, ",")
	if !ok {
		return imported{}, errors.New("needs an address, a comma and a bcrypt hash")
	}
	email, err := user.ParseEmail(address)
	if err != nil {
		return imported{}, err
	}
	hash = strings.TrimSpace(hash)
	return imported{email, hash}, p.Hasher.Check(hash)
}

// importStep names its addresses, so that two imports of the same people, or an
// import and a sign-up, wait for each other and not in a circle.
func (p *People) importStep(ctx context.Context, lines []imported, total *ImportResult) error {
	var done ImportResult
	about := make([]user.Email, len(lines))
	for i, line := range lines {
		about[i] = line.email
	}
	err := p.Database.InTurn(ctx, about, func(ctx context.Context, st Stores) error {
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
