package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"pgregory.net/rapid"
)

func TestALineIsCutBetweenCharacters(t *testing.T) {
	for written, want := range map[string]string{
		"opened":                   "opened",
		"a\x00b":                   "a\uFFFDb",
		"\x1b[2J":                  "\uFFFD[2J",
		"550 no\r\nnot here":       "550 no  no",
		strings.Repeat("€", 4):     "€€€",
		"\xe2\x82":                 "\uFFFD",
		"12345678\xe2\x82":         "12345678",
		"1234567\xe2\x82":          "1234567\uFFFD",
		strings.Repeat("\xff", 40): "\uFFFD",
	} {
		if got := text.Line(written, 10); got != want {
			t.Errorf("%+q becomes %+q, want %+q", written, got, want)
		}
	}
}

func TestALineIsSafeToStoreAndPrintWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		most := rapid.IntRange(0, 20).Draw(t, "most")
		line := text.Line(written, most)
		if !utf8.ValidString(line) || len(line) > most || strings.ContainsFunc(line, unicode.IsControl) || text.Line(line, most) != line {
			t.Fatalf("%+q becomes %+q", written, line)
		}
	})
}
