package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/octavo-books/octavo/domain/text"
	"pgregory.net/rapid"
)

func TestWordsAreFolded(t *testing.T) {
	for in, want := range map[string]string{
		"Introduction to ALGORITHMS, 3rd": "introduction to algorithms 3rd",
		"Crème brûlée":                    "creme brulee",
		"Cre\u0300me":                     "creme",
		"Newton’s Principia; O'Reilly":    "newtons principia oreilly",
		"C++ / C#":                        "c c",
		"Œuvres de Æsop, Straße, Łódź":    "oeuvres de aesop strasse lodz",
		"ﬁnance ² Ⅳ":                      "finance 2 iv",
		"  a\u00a0b\u2003c\u200bd ":       "a b cd",
		"İstanbul ISTANBUL ıstanbul":      "istanbul istanbul istanbul",
		"線形代数 Ελληνικά ΆΛΦΑ":              "線形代数 ελληνικα αλφα",
		"!!! -- ":                         "",
		"snake_case e-mail":               "snake case e mail",
		"🎓 books":                         "books",
	} {
		if got := strings.Join(text.Words(in), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestKeysAreComparedFolded(t *testing.T) {
	for _, s := range []string{"CSC 172", "csc-172", "Csc172", " C.S.C. 1 7 2", "ＣＳＣ１７２", "CSC 172!"} {
		if got := text.Key(s); got != "csc172" {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

func TestWordsAreIdempotentAndOnlyLettersAndDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		words := text.Words(s)
		if again := text.Words(strings.Join(words, " ")); !slices.Equal(again, words) {
			t.Fatalf("%q becomes %q, which becomes %q", s, words, again)
		}
		for _, w := range words {
			if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
				t.Fatalf("%q holds the word %q", s, w)
			}
		}
	})
}

// One letter that is not ASCII disables the shortcut for the whole text.
func TestTheShortcutForASCIIFoldsAsTheLongWay(t *testing.T) {
	ascii := rapid.StringOfN(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 0x7f, Stride: 1}}}), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := ascii.Draw(t, "text")
		words, other := text.Words(s), text.Words(s+" é")
		if !slices.Equal(append(words, "e"), other) {
			t.Fatalf("%q becomes %q, and %q before another word", s, words, other)
		}
	})
}
