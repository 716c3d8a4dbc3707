package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorReadsTheTableOfISBNs(t *testing.T) {
	s := settings.Default(t)
	if all := checkISBNTable(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("without the setting it found %v", all)
	}
	s.Market.ISBNTable = filepath.Join(t.TempDir(), "isbn.csv")
	says(t, checkISBNTable(t.Context(), &s, config.All), failure, "ISBN_TABLE", "ISBN_TABLE")
	for text, want := range map[string]string{
		"isbn,name\n9780262033848,Algorithms\n": "1 in " + s.Market.ISBNTable,
		"isbn,name\n1,Algorithms\n":             "line 2",
	} {
		must.Do(t, os.WriteFile(s.Market.ISBNTable, []byte(text), 0o600))
		state := failure
		if want != "line 2" {
			state = ok
		}
		says(t, checkISBNTable(t.Context(), &s, config.All), state, want, "")
	}
}
