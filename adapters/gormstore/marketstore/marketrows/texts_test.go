package marketrows_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/test/must"
)

func TestTextsOfOneColumnAreSplitAgain(t *testing.T) {
	if got := marketrows.JoinTexts("b.name", "b.comments"); got != "b.name || '\x1f' || b.comments" {
		t.Errorf("selects %q", got)
	}
	var name, comments string
	must.Do(t, marketrows.Texts{&name, &comments}.Scan("Calculus\x1fas new\x1f\nno marks"))
	if name != "Calculus" || comments != "as new\x1f\nno marks" {
		t.Errorf("%q, %q", name, comments)
	}
	for _, bad := range []any{nil, 1, "Calculus"} {
		if err := (marketrows.Texts{&name, &comments}).Scan(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}
