package text_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/text"
)

func TestALineIsCleanedBeforeItsCharactersAreCounted(t *testing.T) {
	for typed, want := range map[string]struct {
		clean string
		fits  bool
	}{
		" \u200bAnn ":     {"Ann", true},
		"Zoe\u0308":       {"Zoë", true}, // one character in NFC
		"日本語":             {"日本語", true},
		"four":            {"four", false},
		"":                {"", true},
		"a\nb":            {"", false},
		"a\x00":           {"", false},
		"a\x85":           {"", false}, // no UTF-8
		"a\u0085":         {"", false}, // a control character of Latin 1
		"   A   ":         {"A", true},
		"\u00a0\u2009Bob": {"Bob", true},
	} {
		if clean, fits := text.CleanLine(typed, 3); clean != want.clean || fits != want.fits {
			t.Errorf("%+q becomes %+q, %v; want %+q, %v", typed, clean, fits, want.clean, want.fits)
		}
	}
}

func TestOnlyATextOfSeveralLinesHasLineBreaks(t *testing.T) {
	for s, want := range map[string][2]bool{
		"abc":      {true, true},
		"abcd":     {false, false},
		"日本語":      {true, true},
		"a\nb":     {false, true},
		"\r\n":     {false, true},
		"a\tb":     {false, false},
		"a\xff":    {false, false},
		"a\u200bb": {true, true}, // hidden, but no control character
	} {
		if got := [2]bool{text.FitsLine(s, 3), text.FitsLines(s, 3)}; got != want {
			t.Errorf("%+q fits %v, want %v", s, got, want)
		}
	}
}
