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
	"unicode"
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
