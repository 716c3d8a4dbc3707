package csvfile_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/rest/csvfile"
)

func TestAFormulaIsEscapedBehindEverySeparatorOfASpreadsheet(t *testing.T) {
	for _, separator := range []string{",", ";", "\t", "\v", "\f", "\r", "\n", "\u0085", "\u2028", "\u2029", "，", "；"} {
		for _, between := range []string{"", " ", `"`, "\u00a0", "\u200b"} {
			cell := "Algebra" + separator + between + "=1+1"
			if got, want := csvfile.Text(cell), "Algebra"+separator+between+"'=1+1"; got != want {
				t.Errorf("%q became %q, want %q", cell, got, want)
			}
		}
	}
	if got := csvfile.Text("a=b, c-d"); got != "a=b, c-d" {
		t.Errorf("a text without a formula became %q", got)
	}
}
