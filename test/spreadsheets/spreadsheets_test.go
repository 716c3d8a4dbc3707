package spreadsheets_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/sheet"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
	"github.com/octavo-books/octavo/test/spreadsheets"
)

// The LibreOffice of this machine saves the books as the one did whose files the other tests read.
func TestLibreOfficeSavesTheFilesThatAreTested(t *testing.T) {
	deep.Only(t, "starts LibreOffice twelve times; its files are read in the tests of importing")
	servers.Need(t, "LibreOffice", "apt-get install libreoffice-calc", "soffice")
	out := servers.Dir(t)
	if log, err := exec.CommandContext(t.Context(), "sh", "../tools/spreadsheets.sh", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	for _, f := range spreadsheets.Files(t) {
		saved, err := os.ReadFile(filepath.Join(out, f.Name))
		if os.IsNotExist(err) {
			continue // Excel's
		}
		must.Do(t, err)
		got, want := rows(t, saved), rows(t, f.Data)
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%s is %q now, want %q", f.Name, got, want)
		}
	}
}

func rows(t *testing.T, file []byte) (all [][]string) {
	t.Helper()
	s := must.Get(sheet.Read(file, func(string) bool { return false }))(t)
	for row, ok := s.Next(); ok; row, ok = s.Next() {
		all = append(all, row.Cells)
	}
	return all
}
