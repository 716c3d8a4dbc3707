package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/octavo-books/octavo/adapters/filelock"
)

// MakeDataDir creates DATA_DIR with mode 0700 or sets that mode, because the folder holds keys
// and personal data.
func (s *Settings) MakeDataDir() error {
	path := s.Storage.DataDir
	if err := os.MkdirAll(path, 0o700); err != nil {
		return FileError("DATA_DIR", err)
	}
	if err := os.Chmod(path, 0o700); err != nil { //nolint:gosec // a folder needs its x bit
		return FileError("DATA_DIR", err)
	}
	return nil
}

// loadOrCreate reads DATA_DIR/name. If the file does not exist, it first writes the result of
// generate. If several processes start at once, one writes and all read the same.
func loadOrCreate(dir, name string, generate func() (string, error)) (string, error) {
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path) //nolint:gosec // the operator chose DATA_DIR
	if err == nil {
		return string(content), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	text, err := generate()
	if err != nil {
		return "", err
	}
	if err := writeOnce(path, text); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	content, err = os.ReadFile(path) //nolint:gosec // as above
	return string(content), err
}

// writeOnce creates a file atomically, so that a crash leaves no half of a key. It
// fails with fs.ErrExist if the file exists.
func writeOnce(path, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.WriteString(text)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), path)
}

// loadOrCreateSecret returns the secret in DATA_DIR/name. It generates the file if it does not
// exist.
func loadOrCreateSecret(dir, name string) (string, error) {
	text, err := loadOrCreate(dir, name, func() (string, error) {
		b := make([]byte, 32)
		_, err := rand.Read(b)
		return hex.EncodeToString(b) + "\n", err
	})
	if err != nil {
		return "", fmt.Errorf("generate %s: %w", name, err)
	}
	text, err = plainText(text)
	if err != nil || text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return "", Errorf("DATA_DIR", "%s is empty or damaged: write the secret into it, or remove it to generate a new one", filepath.Join(dir, name))
	}
	return text, nil
}

// lastBackupFile holds the time of the last backup, in DATA_DIR, so that the program that serves
// can tell its age.
const lastBackupFile = "last-backup"

// NoteBackup stores when a backup was begun that is now complete.
func (s *Settings) NoteBackup(begun time.Time) error {
	text := begun.UTC().Format(time.RFC3339) + "\n"
	return os.WriteFile(filepath.Join(s.Storage.DataDir, lastBackupFile), []byte(text), 0o600)
}

// LastBackup returns when the last backup was begun; false if none is known.
func (s *Settings) LastBackup() (begun time.Time, known bool) {
	text, err := os.ReadFile(filepath.Join(s.Storage.DataDir, lastBackupFile))
	if err != nil {
		return time.Time{}, false
	}
	begun, err = time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	return begun, err == nil
}

// LockForServing prevents a second `serve` on the same embedded databases until release
// is called: two would send each delivery and each mail twice. Other commands do not
// take the lock, and neither does a mailer alone, whose queue divides the mails.
func (s *Settings) LockForServing(parts Components) (release func() error, err error) {
	var locks []*filelock.Lock
	release = func() error {
		var errs []error
		for _, l := range locks {
			errs = append(errs, l.Release())
		}
		return errors.Join(errs...)
	}
	if !s.SQLite() || !parts.Identity() && !parts.Webhooks {
		return release, nil
	}
	for _, f := range s.lockedPaths(parts) {
		l, err := filelock.Acquire(f.lock)
		if err != nil {
			return nil, errors.Join(f.lockError(err), release())
		}
		locks = append(locks, l)
	}
	return release, nil
}

// lockedPath is a path that only one process may serve from.
type lockedPath struct{ setting, path, lock string }

// lockedPaths returns DATA_DIR and the database, which may be in another folder and shared by
// two DATA_DIRs.
func (s *Settings) lockedPaths(parts Components) []lockedPath {
	dir := s.Storage.DataDir
	all := []lockedPath{{"DATA_DIR", dir, filepath.Join(dir, "serve.lock")}}
	if parts.Identity() {
		path := s.MainDatabase().Path()
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		all = append(all, lockedPath{"DATABASE_URL", path, path + ".lock"})
	}
	return all
}

// lockError is no error of a setting if the path is held: that passes when the other process ends.
func (f lockedPath) lockError(err error) error {
	var held *filelock.HeldError
	if !errors.As(err, &held) {
		return FileError(f.setting, err)
	}
	return fmt.Errorf("%s: %s is already being served (%w); stop that process, or use another folder", f.setting, f.path, held)
}
