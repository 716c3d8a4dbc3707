package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// partialBackup names what a backup is until it is whole. What a killed one leaves
// has such a name and not the one that was asked for.
const partialBackup = ".octavo-backup-*"

// Backup copies the embedded databases, while they are in use, and the generated
// keys into a new folder, which then can take DATA_DIR's place. The folder gets its
// name once everything in it was checked. Keys that are settings are not in it.
func Backup(ctx context.Context, s config.Settings, folder string, out io.Writer) error {
	if !s.SQLite() {
		return config.Errorf("DATABASE_URL", "%v", gormstore.ErrBackupElsewhere)
	}
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	folder = filepath.Clean(folder)
	if err := unused(folder); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), partialBackup) // 0700
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	names, err := fillBackup(ctx, &s, partial)
	if err == nil {
		err = errors.Join(ctx.Err(), unused(folder))
	}
	if err == nil {
		err = os.Rename(partial, folder)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	syncFolder(filepath.Dir(folder))
	for _, name := range names {
		if _, err := fmt.Fprintln(out, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// unused refuses a folder, or anything else of that name, that is there.
func unused(folder string) error {
	switch _, err := os.Lstat(folder); {
	case err == nil:
		return config.Errorf("FOLDER", "%s is there already: name a new folder", folder)
	case !errors.Is(err, fs.ErrNotExist):
		return config.Errorf("FOLDER", "%v", err)
	}
	return nil
}

// fillBackup makes every file of a backup and names them.
func fillBackup(ctx context.Context, s *config.Settings, folder string) (names []string, err error) {
	done := map[string]bool{}
	for _, p := range s.Databases() {
		if config.FileMissing(p.Path()) || done[p.Path()] { // as the inbox of a marketplace
			continue
		}
		done[p.Path()] = true
		name := filepath.Base(p.Path())
		if err := backupDatabase(ctx, p, filepath.Join(folder, name)); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	for _, name := range []string{config.KeysFile, config.WebhookSecretFile} {
		copied, err := backupFile(filepath.Join(s.Storage.DataDir, name), filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if copied {
			names = append(names, name)
		}
	}
	syncFolder(folder)
	return names, nil
}

func backupDatabase(ctx context.Context, p config.Database, to string) error {
	db, err := gormstore.Open(ctx, p.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(db.Backup(ctx, to), db.Close())
}

// backupFile copies a file of keys, if there is one.
func backupFile(from, to string) (copied bool, err error) {
	content, err := os.ReadFile(from) //nolint:gosec // the operator chose DATA_DIR
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator chose the folder
	if err != nil {
		return false, err
	}
	_, err = f.Write(content)
	return true, errors.Join(err, f.Sync(), f.Close())
}

// syncFolder has the names in a folder outlive a loss of power, on systems that can.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil { //nolint:gosec // the operator chose it
		_ = f.Sync()
		_ = f.Close()
	}
}
