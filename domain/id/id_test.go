package id_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/id"
	"pgregory.net/rapid"
)

func TestEveryIDSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Min(1).Draw(t, "id")
		if got, ok := id.Parse(id.Format(n)); !ok || got != n {
			t.Fatalf("Parse(Format(%d)) = %d, %v", n, got, ok)
		}
	})
}

func TestOnlyTheCanonicalFormIsParsed(t *testing.T) {
	for _, s := range []string{"", "0", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808", "١", "a"} {
		if n, ok := id.Parse(s); ok {
			t.Errorf("Parse(%q) = %d", s, n)
		}
	}
}
