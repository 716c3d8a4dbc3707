package text_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/text"
	"pgregory.net/rapid"
)

func TestCaseAndAccentsAreFoldedAway(t *testing.T) {
	for in, want := range map[string]string{
		"Ann-Marie O'Brien": "ann-marie o'brien",
		"ÉMILE":             "emile",
		"E\u0301mile":       "emile",
		"Ödön Straßer":      "odon strasser",
		"STRAẞE":            "strasse",
		"Σίσυφος":           "σισυφοσ",
		"ΣΊΣΥΦΟΣ":           "σισυφοσ",
		"ﬁnance":            "finance",
		"Łukasz Æsøp":       "lukasz aesop",
		"İstanbul":          "istanbul",
		"Ángel\u200b":       "angel",
		"線形 ΆΛΦΑ":           "線形 αλφα",
		"":                  "",
	} {
		if got := text.Fold(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestFoldingIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := text.Fold(rapid.String().Draw(t, "text"))
		if twice := text.Fold(once); twice != once {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}
