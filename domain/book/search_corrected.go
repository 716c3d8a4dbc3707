package book

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/octavo-books/octavo/domain/lexicon"
)

// Corrected returns the text of the query with its misspelled words as a book spells them, "Frankenstein" for
// "frankinstien". It is false if the book has all words as they are, in another form, or as beginnings of its own.
func (q Query) Corrected(c Candidate) (string, bool) {
	m := matcher{query: &q}
	if m.relevance(&c) == 0 {
		return "", false
	}
	spelled := map[string]string{}
	for i, f := range m.found {
		if f.quality == misspelled {
			spelled[q.sought[i].word] = c.spelling(q.sought[i].word)
		}
	}
	if len(spelled) == 0 {
		return "", false
	}
	return changedText(q.text, func(w string) string { return cmp.Or(spelled[w], w) }), true
}

// spelling returns how the title, the authors or the course spell a misspelled word: the nearest one.
func (c *Candidate) spelling(word string) (best string) {
	least := len(word)
	for _, text := range []string{c.Name, c.Authors, c.Course} {
		for _, printed := range strings.FieldsFunc(text, betweenWords) {
			words := lexicon.Split(printed).Words
			if len(words) != 1 || !Resemble(word, words[0]) {
				continue
			}
			if n := distance([]rune(word), []rune(words[0])); n < least {
				best, least = printed, n
			}
		}
	}
	return best
}

func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}
