package archivecommands

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
)

func TestAnImportSaysWhatItCannotReadAtAll(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.tar.gz")
	must.Do(t, os.WriteFile(empty, nil, 0o600))
	for name, why := range map[string]string{folder: "is a folder: name the archive", empty: "is empty", filepath.Join(folder, "none"): "no such file"} {
		if _, err := openArchive(name); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", name, err, why)
		}
	}
}
