package assembly

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

// makeDataDir makes DATA_DIR for the owner alone. A folder that others may read
// is narrowed, for keys and addresses lie in it.
func makeDataDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return refused("DATA_DIR", "%v", err)
	}
	if err := os.Chmod(path, 0o700); err != nil { //nolint:gosec // a folder needs its x bit
		return refused("DATA_DIR", "%v", err)
	}
	return nil
}

// kept reads DATA_DIR/name, or makes it once from what fresh gives. Of several
// processes that start at once one writes and all read the same.
func kept(dir, name string, fresh func() (string, error)) (string, error) {
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path) //nolint:gosec // the operator chose DATA_DIR
	if err == nil {
		return string(content), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	text, err := fresh()
	if err != nil {
		return "", err
	}
	if err := writeOnce(path, text); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	content, err = os.ReadFile(path) //nolint:gosec // as above
	return string(content), err
}

// writeOnce puts a whole file in place or fails with fs.ErrExist: a crash leaves
// no half of a key.
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

// generatedSecret is a random value that development keeps in DATA_DIR, or the one
// line that an operator has written there.
func generatedSecret(dir, name string) (string, error) {
	text, err := kept(dir, name, func() (string, error) {
		b := make([]byte, 32)
		_, err := rand.Read(b)
		return hex.EncodeToString(b) + "\n", err
	})
	if err != nil {
		return "", fmt.Errorf("generate %s: %w", name, err)
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return "", refused("DATA_DIR", "%s is blank or broken: write the secret into it, or remove it to have a new one made", filepath.Join(dir, name))
	}
	return text, nil
}
