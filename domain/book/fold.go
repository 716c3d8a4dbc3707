package book

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
)

// Words takes a text apart for comparing: case, accents and punctuation are
// folded away, apostrophes join what they stand in. "Crème's C++ II" becomes
// "cremes", "c", "ii". Words consist of letters and digits only.
func Words(s string) []string {
	return strings.Fields(fold(s))
}

// fold writes the words with one space or more between them.
func fold(s string) string { return bound(unbounded(s)) }

// unbounded is fold before it is cut. What is plain, as most titles are, needs no more
// than wordRune.
func unbounded(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(wordRune, text.Fold(s))
		}
		if r := wordRune(rune(s[i])); r >= 0 {
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}

// Bounds of what folding yields. A character may stand for eighteen letters, as U+FDFA
// does, and a word may be as long as its text; but words and keys go into indexes, which
// have bounds of their own.
const (
	maxFolded = MaxName // letters and spaces; what follows is left out
	maxWord   = 64      // letters of a word; those that follow are left out
)

// bound cuts a folded text, and words in it, that are too long.
func bound(folded string) string {
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

// wordRune keeps letters and digits, drops apostrophes and makes a space of
// everything else.
func wordRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return r
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r == '\'' || r == '’' || r == '‘' || r == 'ʼ':
		return -1
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return ' '
	}
	return r
}

// Key folds a text to one word, which is how course codes and universities are
// compared: "CSC 172" and "csc-172" are both "csc172".
func Key(s string) string { return strings.ReplaceAll(fold(s), " ", "") }

// hasKey is Key(s) == key, without writing it where s is plain.
func hasKey(s, key string) bool {
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

// TitleKey is the words of a name with single spaces between them.
func TitleKey(name string) string { return strings.Join(Words(name), " ") }

// insignificant words say nothing about which book it is.
var insignificant = setOf("a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with",
	"au", "aux", "de", "des", "du", "en", "et", "la", "le", "les", "un", "une")

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// Significant are the distinct words of a name without articles, prepositions
// and conjunctions; all of them where nothing else would be left.
func Significant(name string) []string { return significant(Words(name)) }

func significant(words []string) []string {
	all := distinct(words)
	some := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return insignificant[word] })
	if len(some) == 0 {
		return all
	}
	return some
}

// distinct keeps the first of each word.
func distinct(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
