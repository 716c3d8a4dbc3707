package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words splits a text into words for comparison. It removes case, accents, punctuation,
// apostrophes and what French elides before them: "Crème's C++ II" becomes "cremes", "c",
// "ii", and "L'énergie" becomes "energie". Words consist of letters and digits only.
func Words(s string) []string {
	return strings.Fields(truncate(letters(s, withoutElisions)))
}

// fold returns the words of a code or a proper name, with at least one space between them.
func fold(s string) string { return truncate(letters(s, nil)) }

// letters replaces everything but letters and digits with spaces, after edit, if not nil, has
// changed the text. It takes a shortcut for ASCII, because most titles are.
func letters(s string, edit func(string) string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s = Fold(s)
	}
	if edit != nil {
		s = edit(s)
	}
	return strings.Map(wordRune, s)
}

// Bounds of a folded text. One character can fold to eighteen letters (U+FDFA), and a word
// can be as long as its text, but the indexes that store words and keys bound their size.
const (
	maxFolded = 300 // letters and spaces of a text; the rest is cut off
	maxWord   = 64  // letters of a word; the rest is cut off
)

// truncate cuts off a folded text and its words at their bounds.
func truncate(folded string) string {
	if len(folded) <= maxWord {
		return folded
	}
	var b strings.Builder
	written, inWord := 0, 0
	for _, r := range folded {
		if inWord++; r == ' ' {
			inWord = 0
		}
		if inWord > maxWord {
			continue
		}
		if written++; written > maxFolded {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// wordRune keeps letters and digits, removes apostrophes and replaces everything else by a
// space.
func wordRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return r
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case isApostrophe(r):
		return -1
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return ' '
	}
	return r
}

// Key folds a text to one word, for the comparison of course codes and universities:
// "CSC 172" and "csc-172" are both "csc172".
func Key(s string) string { return strings.ReplaceAll(fold(s), " ", "") }

// HasKey is Key(s) == key, without allocating if s is ASCII.
func HasKey(s, key string) bool {
	rest := key
	for i := range len(s) {
		if s[i] >= 0x80 {
			return Key(s) == key
		}
		r := wordRune(rune(s[i]))
		if r < 0 || r == ' ' {
			continue
		}
		if rest == "" || rest[0] != byte(r) {
			return false
		}
		rest = rest[1:]
	}
	return rest == ""
}
