package book

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
)

// symbolSuffixes are the symbols after words of one or two letters, by folded word. They
// distinguish names such as C, C++ and C#, which are the same after folding.
type symbolSuffixes map[string][]string

func symbolSuffixesOf(name string) symbolSuffixes {
	if !strings.ContainsAny(name, "+#") {
		return nil
	}
	found := symbolSuffixes{}
	for _, field := range strings.FieldsFunc(name, separates) {
		word := strings.TrimRight(field, "+#")
		if suffix := field[len(word):]; suffix != "" && utf8.RuneCountInString(word) <= 2 {
			if folded := text.Key(word); folded != "" {
				found[folded] = append(found[folded], suffix)
			}
		}
	}
	return found
}

func separates(r rune) bool {
	return r != '+' && r != '#' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// SameTitle reports whether two names have the same words and no symbols that tell them
// apart: a book about C# and one about C++ have different titles.
func SameTitle(a, b string) bool {
	return TitleKey(a) == TitleKey(b) && !symbolSuffixesOf(a).conflictWith(symbolSuffixesOf(b))
}

// conflictWith reports whether s has a wanted word with other suffixes only. A word without
// a suffix on either side does not conflict: people often omit them.
func (s symbolSuffixes) conflictWith(wanted symbolSuffixes) bool {
	for word, all := range wanted {
		for _, suffix := range all {
			if have := s[word]; len(have) > 0 && !slices.Contains(have, suffix) {
				return true
			}
		}
	}
	return false
}
