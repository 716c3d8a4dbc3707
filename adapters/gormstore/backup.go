package gormstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// ErrBackupElsewhere says that Postgres has tools of its own for this.
var ErrBackupElsewhere = errors.New("this database is Postgres: back it up with pg_dump")

// Backup copies the database, as it is at one moment, into a new file, while
// others read and write. Only on SQLite; else ErrBackupElsewhere.
func (db *DB) Backup(ctx context.Context, path string) error {
	if db.Dialect != SQLite {
		return ErrBackupElsewhere
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator chose it
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	conn, err := db.readPool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Raw(func(driver any) error { return copyPages(driver, path) }); err != nil {
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	return nil
}

// copyPages takes all pages in one read transaction: nobody waits for it, and
// nothing written meanwhile is in it.
func copyPages(driver any, path string) error {
	source, ok := driver.(interface {
		NewBackup(dst string) (*sqlite.Backup, error)
	})
	if !ok {
		return fmt.Errorf("%T cannot make backups", driver)
	}
	backup, err := source.NewBackup(path)
	if err != nil {
		return err
	}
	_, err = backup.Step(-1)
	return errors.Join(err, backup.Finish())
}
