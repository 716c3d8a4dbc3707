package text_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/text"
)

func TestVariablesAreReplacedAndTheFirstMissingOneIsNamed(t *testing.T) {
	values := map[string]string{"A": "a", "B_2": "${A}"}
	for written, want := range map[string][2]string{
		"":               {"", ""},
		"x $A ${} {A} $": {"x $A ${} {A} $", ""},
		"${A}/${B_2}":    {"a/${A}", ""},
		"${A}${C}${D}":   {"a", "C"},
	} {
		if got, missing := text.Expand(written, func(name string) string { return values[name] }); got != want[0] || missing != want[1] {
			t.Errorf("%q becomes %q, missing %q; want %q", written, got, missing, want)
		}
	}
}
