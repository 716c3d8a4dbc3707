package book

import (
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/text"
)

// TitleKey returns the words of a name with single spaces between them.
func TitleKey(name string) string { return strings.Join(text.Words(name), " ") }

// stopWords do not identify a book.
var stopWords = setOf("a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with",
	"au", "aux", "de", "des", "du", "en", "et", "la", "le", "les", "un", "une")

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// Significant returns the distinct words of a name without articles, prepositions and
// conjunctions, or all words if there are no others. Those in traditional Chinese characters are in simplified ones.
func Significant(name string) []string { return significant(matchWords(name)) }

// matchWords are the words of a name by which books and requests are matched.
func matchWords(name string) []string { return text.Words(lexicon.Simplified(name)) }

func significant(words []string) []string {
	all := distinct(words)
	some := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return stopWords[word] })
	if len(some) == 0 {
		return all
	}
	return some
}

// distinct removes duplicates and keeps the order.
func distinct(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
