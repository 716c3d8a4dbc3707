package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type usersImport struct {
	File       string `arg:"" help:"Lines email,hash, or CSV with a header row: email,hash,verified,role,firstName,lastName,university. - reads standard input."`
	DryRun     bool   `help:"Check and count the lines, but change nothing."`
	Strict     bool   `help:"Import nothing if a line is bad."`
	AllowRoles bool   `help:"Allow lines to create admins and owners."`
	Firebase   string `placeholder:"FILE" help:"Password hash parameters of a Firebase project, as its console shows them; the rows then have a column salt."`
}

// Run lists bad lines on standard error and exits with 1 if there are any.
func (i usersImport) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withPeople(ctx, s, c, func(people *account.Users) error {
		file, size, done, err := i.open(c.In)
		if err != nil {
			return fmt.Errorf("users import: %w", err)
		}
		defer done()
		format, err := i.formatHash()
		if err != nil {
			return fmt.Errorf("users import: %w", err)
		}
		shown := c.StartProgress("import")
		result, err := people.Import(ctx, file, account.ImportOptions{
			Strict: i.Strict, DryRun: i.DryRun, AllowRoles: i.AllowRoles, FormatHash: format,
			Bad:      func(line int, why string) { shown.Println(fmt.Sprintf("line %d: %s", line, why)) },
			Progress: func(read int64) { shown.Report("importing, in KB", read>>10, max(1, size>>10)) },
		})
		shown.Stop()
		if err == nil || result.Imported > 0 {
			err = errors.Join(err, i.print(c.Out, result))
		}
		if err == nil && result.Bad > 0 {
			return terminal.ErrSilent
		}
		return err
	})
}

// maxFirebase limits the file of the parameters, in bytes.
const maxFirebase = 64 << 10

// formatHash reads the parameters of a Firebase project; nil without any.
func (i usersImport) formatHash() (func(hash, salt string) (string, error), error) {
	if i.Firebase == "" {
		return nil, nil
	}
	file, err := os.Open(i.Firebase)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxFirebase))
	if err != nil {
		return nil, err
	}
	project, err := hashing.ParseFirebase(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Firebase, err)
	}
	return project.Format, nil
}

func (i usersImport) print(out io.Writer, r account.ImportResult) error {
	verb := "imported"
	if i.DryRun {
		verb = "would be imported"
	}
	_, err := fmt.Fprintf(out, "%d %s, %d skipped because the address already has an account.\n", r.Imported, verb, r.Skipped)
	if err != nil || r.Bad == 0 {
		return err
	}
	what := " and skipped"
	if i.Strict {
		what = ": nothing was imported"
	}
	_, err = fmt.Fprintf(out, "%s bad%s.\n", terminal.Count(r.Bad, "line is", "lines are"), what)
	return err
}

// open opens the file, or a copy of standard input, as a strict import reads twice.
func (i usersImport) open(in io.Reader) (file *os.File, size int64, done func(), err error) {
	if i.File == "-" {
		file, err = spool(in)
	} else {
		file, err = os.Open(i.File)
	}
	if err != nil {
		return nil, 0, nil, err
	}
	done = func() {
		_ = file.Close()
		if i.File == "-" {
			_ = os.Remove(file.Name())
		}
	}
	info, err := file.Stat()
	if err != nil {
		done()
		return nil, 0, nil, err
	}
	return file, info.Size(), done, nil
}

// spool copies to a temporary file that only its owner can read.
func spool(in io.Reader) (*os.File, error) {
	file, err := os.CreateTemp("", "octavo-import-*")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(file, in)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return file, nil
}
