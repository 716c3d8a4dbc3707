package config

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

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
