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
)

// Backup copies the embedded databases, while they are in use, and the generated
// keys into a new folder, which then can take DATA_DIR's place. It checks what it
// copied. Keys that are settings are not in it.
func Backup(ctx context.Context, s Settings, folder string, out io.Writer) error {
	if !s.sqlite() {
		return refused("DATABASE_URL", "%v", gormstore.ErrBackupElsewhere)
	}
	if err := s.expect(ctx, s.places()...); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	for _, p := range s.places() {
		if err := backupDatabase(ctx, p, folder, out); err != nil {
			return err
		}
	}
	return backupKeys(s.Storage.DataDir, folder, out)
}

// backupDatabase leaves out what was never made, as the inbox of a marketplace.
func backupDatabase(ctx context.Context, p place, folder string, out io.Writer) error {
	if missing(p.path()) {
		return nil
	}
	db, err := gormstore.Open(ctx, p.url, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	to := filepath.Join(folder, filepath.Base(p.path()))
	if err := db.Backup(ctx, to); err != nil {
		return err
	}
	if err := sound(ctx, to); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, to)
	return err
}

// sound reads the copy from end to end.
func sound(ctx context.Context, path string) error {
	db, err := gormstore.Open(ctx, "sqlite:"+path, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, read := db.SQL()
	var verdict string
	if err := read.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("the copy %s is damaged: %s", path, verdict)
	}
	return nil
}

func backupKeys(from, folder string, out io.Writer) error {
	for _, name := range []string{keysFile, webhookSecretFile} {
		content, err := os.ReadFile(filepath.Join(from, name)) //nolint:gosec // the operator chose DATA_DIR
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		to := filepath.Join(folder, name)
		if err := os.WriteFile(to, content, 0o600); err != nil { //nolint:gosec // the operator chose the folder
			return err
		}
		if _, err := fmt.Fprintln(out, to); err != nil {
			return err
		}
	}
	return nil
}
