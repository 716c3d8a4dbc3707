// Package lexicon splits titles, names and searches into words, and knows which other words mean the
// same: C++ and "c plus plus", Wi-Fi and wifi, III and 3, mice and mouse. Both sides of a search use it,
// so a word needs one form only for it to be found in any other.
package lexicon

import (
	"strings"
	"unicode/utf8"
)

// Phrase is a text as a sequence of folded words, which consist of letters and digits.
type Phrase struct {
	Words []string
	Joins []Join
	Main  int // how many words the main title has: those before a colon, a semicolon or a parenthesis

	lower []byte // memory of Read
}

// Join is one word that can stand for the words of a phrase from From up to To: "wifi" for those of
// Wi-Fi, "1984" for those of Nineteen Eighty-Four.
type Join struct {
	Text     string
	From, To int
}

// Bounds of a phrase; the rest of a text is cut off. The indexes that store words bound their size.
const (
	maxWords  = 120
	maxLetter = 64 // letters of a word
	maxSpoken = 24 // words of a search whose neighbours may be one word
)

// Terms returns the distinct words and joins of the phrase.
func (p Phrase) Terms() []string {
	terms := make([]string, 0, len(p.Words)+len(p.Joins))
	seen := make(map[string]bool, cap(terms))
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			terms = append(terms, w)
		}
	}
	for _, w := range p.Words {
		add(w)
	}
	for _, j := range p.Joins {
		add(j.Text)
	}
	return terms
}

// join adds a join unless it is empty, too long or what it stands for.
func (p *Phrase) join(text string, from, to int) {
	if text == "" || len(text) > maxLetter || to-from == 1 && p.Words[from] == text {
		return
	}
	p.Joins = append(p.Joins, Join{text, from, to})
}

// Spoken returns a phrase with joins for its neighbours, so that "wi fi" finds Wi-Fi and "c s 61 a"
// finds CS61A: every two and three words, and four if they are short.
func (p Phrase) Spoken() Phrase {
	if len(p.Words) > maxSpoken {
		return p
	}
	p.Joins = append([]Join(nil), p.Joins...)
	for i := range p.Words {
		for n := 2; n <= 4 && i+n <= len(p.Words); n++ {
			text := strings.Join(p.Words[i:i+n], "")
			if n < 4 || utf8.RuneCountInString(text) <= 2*n {
				p.join(text, i, i+n)
			}
		}
	}
	return p
}
