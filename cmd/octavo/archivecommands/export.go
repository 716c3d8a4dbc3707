// Package archivecommands has the commands that move everything to a file and back.
package archivecommands

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/user"
)

// Export is the command that writes an archive.
type Export struct {
	File      string `arg:"" help:"A new file, such as campus.tar.gz; - for standard output."`
	Anonymise bool   `help:"Leave out names, addresses, texts, secrets and photos, for developers and support."`
}

// partialExport begins the name of an archive until it is complete.
const partialExport = ".octavo-export-"

// standardOutput is the FILE that is none: in a container, a file would stay behind.
const standardOutput = "-"

// Run writes an archive of all databases and photos as they are at one moment, while they may be in use. The file
// gets its name when it is complete.
func (e *Export) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	if err := e.check(c); err != nil {
		return err
	}
	sources, closeAll, err := openSources(ctx, s)
	if err != nil {
		return err
	}
	defer closeAll()
	shown := c.StartProgress("export")
	defer shown.Stop()
	export, password, err := e.describe(ctx, s, c, sources, shown)
	if err != nil {
		return err
	}
	result, err := e.write(ctx, export, c.Out)
	shown.Stop()
	if err != nil {
		return err
	}
	return errors.Join(e.report(c, export, result, password), lostFromExport(result.Lost).report())
}

func (e *Export) describe(
	ctx context.Context, s *config.Settings, c terminal.Console, sources []archive.Source, shown *terminal.Progress,
) (archive.Export, string, error) {
	keys, _, err := s.Fingerprints()
	if err != nil {
		return archive.Export{}, "", err
	}
	photos, err := s.OpenBlobs()
	if err != nil {
		return archive.Export{}, "", err
	}
	export := archive.Export{
		Sources: sources, Photos: photos, Program: config.VersionLine(), Keys: keys, Now: c.Clock.Now(), Report: shown.Report,
	}
	if !e.Anonymise {
		return export, "", nil
	}
	password := strings.ToLower(rand.Text()[:20])
	hash, err := hashPassword(ctx, s, password)
	export.Anonymiser = archive.NewAnonymiser([]byte(rand.Text()), hash)
	return export, password, err
}

func hashPassword(ctx context.Context, s *config.Settings, text string) (string, error) {
	hasher, err := s.NewHasher()
	if err != nil {
		return "", err
	}
	password, err := user.NewPassword(text, "")
	if err != nil {
		return "", err
	}
	return hasher.HashPassword(ctx, password)
}

// openSources opens the databases that exist, and changes nothing in them.
func openSources(ctx context.Context, s *config.Settings) (sources []archive.Source, closeAll func(), err error) {
	var open []*gormstore.DB
	closeAll = func() {
		for _, db := range open {
			_ = db.Close()
		}
	}
	for _, d := range s.Databases() {
		if d.Embedded() && config.FileMissing(d.Path()) {
			continue
		}
		db, err := d.Open(ctx, slog.New(slog.DiscardHandler))
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		open = append(open, db)
		sources = append(sources, archive.Source{DB: db, Schema: d.Schema})
	}
	return sources, closeAll, nil
}

func (e *Export) check(c terminal.Console) error {
	switch {
	case e.File != standardOutput:
		return mustBeNew("FILE", e.File)
	case c.Style.Color:
		return config.Errorf("FILE", "an archive is no text: send standard output to a file or a program")
	}
	return nil
}

func (e *Export) write(ctx context.Context, export archive.Export, out io.Writer) (archive.Result, error) {
	if e.File != standardOutput {
		return writeExport(ctx, export, e.File)
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	result, err := export.Write(ctx, buffered)
	if err == nil {
		err = buffered.Flush()
	}
	return result, err
}

func mustBeNew(argument, path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return config.Errorf(argument, "%s exists already: name a new file", path)
	case !errors.Is(err, fs.ErrNotExist):
		return config.Errorf(argument, "%v", err)
	}
	return nil
}

func writeExport(ctx context.Context, export archive.Export, path string) (archive.Result, error) {
	f, err := os.CreateTemp(filepath.Dir(path), partialExport+"*") // 0600
	if err != nil {
		return archive.Result{}, config.Errorf("FILE", "%v", err)
	}
	buffered := bufio.NewWriterSize(f, 1<<20)
	result, err := export.Write(ctx, buffered)
	if err == nil {
		err = errors.Join(buffered.Flush(), f.Sync())
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = mustBeNew("FILE", path)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return result, errors.Join(err, os.Remove(f.Name()))
	}
	backup.SyncFolder(filepath.Dir(path))
	return result, nil
}

func (e *Export) report(c terminal.Console, export archive.Export, r archive.Result, password string) error {
	rows, tables := terminal.Count(int(r.Rows()), "row", "rows"), terminal.Count(len(r.Tables), "table", "tables")
	pictures := terminal.Count(int(r.Photos.Rows), "picture", "pictures")
	name, out := e.File, c.Out
	if name == standardOutput {
		name, out = "The archive", c.Err
	}
	lines := []string{fmt.Sprintf("%s has %s of %s and %s.", name, rows, tables, pictures)}
	if e.Anonymise {
		lines = append(lines, fmt.Sprintf("Everybody in it signs in with the password %s, which is not in the file.", password))
		for _, a := range export.Anonymiser.Staff {
			lines = append(lines, fmt.Sprintf("%s is %s.", a.Email, roleNames[a.Role]))
		}
	} else {
		lines = append(lines, "It has personal data, hashes of passwords and sessions: keep it as safe as the database. Not in it: the settings, and the keys.")
	}
	_, err := io.WriteString(out, strings.Join(lines, "\n")+"\n")
	return err
}

var roleNames = map[user.Role]string{user.Admin: "an admin", user.Owner: "an owner"}

// lostFromExport are the names of pictures that an archive lacks. They are an error of the command, although the
// archive is complete without them.
type lostFromExport []string

func (l lostFromExport) report() error {
	if len(l) == 0 {
		return nil
	}
	return fmt.Errorf("export: made, but %d pictures of photos are missing or are not what was stored, such as %s", len(l), l[0])
}
