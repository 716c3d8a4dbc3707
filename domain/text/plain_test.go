package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"pgregory.net/rapid"
)

func TestHiddenCharactersAreRemoved(t *testing.T) {
	for written, want := range map[string]string{
		"Calculus":                     "Calculus",
		"\u202eslaoG\u202c":            "slaoG",
		"\u2066a\u2067b\u2068c\u2069d": "abcd",
		"\u202aa\u202bb\u202dc":        "abc",
		"\ufeffalge\u00adbra\u200b":    "algebra",
		"a\u2060b\u206ac\U000e0041d":   "abcd",
		"می\u200cخواهم":                "می\u200cخواهم", // Persian needs the non-joiner
		"क्\u200dष":                    "क्\u200dष",     // Devanagari the joiner
		"👩\u200d🔬 ❤\ufe0f":             "👩\u200d🔬 ❤\ufe0f",
		"עברית\u200f!":                 "עברית\u200f!",
		"été\n№":                       "été\n№",
		"a\u202e\xff":                  "a\u202e\xff",
	} {
		if got := text.StripHidden(written); got != want {
			t.Errorf("%+q becomes %+q, want %+q", written, got, want)
		}
	}
}

func TestStrippingHiddenCharactersIsIdempotentAndComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.String().Draw(t, "text")
		plain := text.StripHidden(written)
		if !utf8.ValidString(plain) || text.StripHidden(plain) != plain || len(plain) > len(written) {
			t.Fatalf("%+q becomes %+q", written, plain)
		}
		if strings.ContainsAny(plain, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") {
			t.Fatalf("%+q still changes the direction of text", plain)
		}
	})
}

func TestABlankTextShowsNothing(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, " \t\n\u00a0\u3000": true, "\u200b \u2060": true, "\u3164\u115f\uffa0": true, "\u2800": true, "\u200d\ufe0f": true,
		"x": false, " . ": false, "\u200bé": false, "書": false, "❤\ufe0f": false,
	} {
		if text.Blank(s) != want {
			t.Errorf("%+q: %v", s, !want)
		}
	}
}

func TestATextWithNULOrInvalidUTF8IsNotStorable(t *testing.T) {
	for s, want := range map[string]bool{"": true, "Zoë\n": true, "\uFFFD": true, "a\x00b": false, "a\xff": false, "\xed\xa0\x80": false} {
		if text.Storable(s) != want {
			t.Errorf("%+q: %v", s, !want)
		}
	}
}
