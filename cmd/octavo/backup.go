package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

type backupCommand struct {
	Folder string `arg:"" help:"A new folder. To restore it, put it in the place of DATA_DIR."`
}

// partialBackup is the name of a backup until it is complete, so that an interrupted
// one is never mistaken for a backup.
const partialBackup = ".octavo-backup-*"

// Run copies the embedded databases, while they are in use, the photos and the generated
// keys to a new folder, which can then replace DATA_DIR. The folder gets its name after everything
// in it was verified. Keys that are settings are not in it.
func (b *backupCommand) Run(ctx context.Context, s *config.Settings, c console) error {
	if !s.SQLite() {
		return config.Errorf("DATABASE_URL", "%v", gormstore.ErrNoBackupOnPostgres)
	}
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	folder := filepath.Clean(b.Folder)
	if err := mustNotExist(folder); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), partialBackup) // 0700
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	shown := c.startProgress("backup")
	names, err := fillBackup(ctx, s, partial, shown)
	if err == nil {
		names, err = addPhotos(ctx, s, partial, names)
	}
	shown.Stop()
	if err == nil {
		err = errors.Join(ctx.Err(), mustNotExist(folder))
	}
	if err == nil {
		err = os.Rename(partial, folder)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	syncFolder(filepath.Dir(folder))
	for _, name := range names {
		if _, err := fmt.Fprintln(c.out, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// mustNotExist returns an error if anything of that name exists.
func mustNotExist(folder string) error {
	switch _, err := os.Lstat(folder); {
	case err == nil:
		return config.Errorf("FOLDER", "%s exists already: name a new folder", folder)
	case !errors.Is(err, fs.ErrNotExist):
		return config.Errorf("FOLDER", "%v", err)
	}
	return nil
}

// fillBackup writes every file of a backup and returns their names.
func fillBackup(ctx context.Context, s *config.Settings, folder string, shown *progress) (names []string, err error) {
	done := map[string]bool{}
	for _, p := range s.Databases() {
		if config.FileMissing(p.Path()) || done[p.Path()] { // a market without webhooks has no inbox
			continue
		}
		done[p.Path()] = true
		name := filepath.Base(p.Path())
		stop := shown.followFile(name, p.Path(), filepath.Join(folder, name))
		err := backupDatabase(ctx, p, filepath.Join(folder, name))
		stop()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	for _, name := range []string{config.KeysFile, config.OIDCKeyFile, config.WebhookSecretFile} {
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

// backupFile copies a file of keys, if it exists.
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

// syncFolder makes the names in a folder survive a power loss, if the system supports it.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil { //nolint:gosec // the operator chose it
		_ = f.Sync()
		_ = f.Close()
	}
}
