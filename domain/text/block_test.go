package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"pgregory.net/rapid"
)

func TestABlockKeepsItsLinesAndIsCutBetweenCharacters(t *testing.T) {
	for written, want := range map[string]string{
		"":                           "",
		"{\n\t\"a\": 1}":             "{\n\t\"a\": 1}",
		"a\r\nb\rc":                  "a\nb\nc",
		"a\x00b\x1b[2J":              "a\uFFFDb\uFFFD[2J",
		strings.Repeat("€", 5):       "€€€€",
		"\xe2\x82":                   "\uFFFD",
		"12345678901\xe2\x82":        "12345678901",
		"1234567890123":              "123456789012",
		strings.Repeat("\r\n", 20):   strings.Repeat("\n", 12),
		strings.Repeat("\xff", 4000): "\uFFFD",
	} {
		if got := text.Block(written, 12); got != want {
			t.Errorf("%+q becomes %+q, want %+q", written, got, want)
		}
	}
}

func TestABlockIsSafeToStoreWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		most := rapid.IntRange(0, 20).Draw(t, "most")
		block := text.Block(written, most)
		hidden := func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }
		if !utf8.ValidString(block) || len(block) > most || strings.ContainsFunc(block, hidden) || text.Block(block, most) != block {
			t.Fatalf("%+q becomes %+q", written, block)
		}
	})
}
