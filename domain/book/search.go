package book

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/text"
)

// MaxQuery is how many characters a search may have: as many as a name.
const MaxQuery = MaxName

// ErrQueryTooLong refuses a search of more than MaxQuery characters.
var ErrQueryTooLong = fault.New(fault.Invalid, "query_too_long", "A search may have at most 300 characters.").
	WithField("query", "Must be at most 300 characters.")

// Query is a parsed search.
type Query struct {
	ISBN  ISBN     // empty: the text has no ISBN
	Key   string   // the whole text folded as a course code
	Title string   // the whole text folded as a name
	Words []string // those that a book must have: distinct, without articles and editions

	text    string         // as it was typed, without an ISBN
	phrase  lexicon.Phrase // the words and what neighbours are together
	sought  []sought       // what a book must have for each word of the phrase
	edition int            // that the text names; 0: none
	only    bool           // books of other editions do not match
	courses []string       // codes that one word, or two or three together, may be
}

// sought is what a query says of one of its words.
type sought struct {
	word, canon string
	optional    bool   // an article or so, or an edition
	initial     bool   // a single letter, which may be that of an author's name
	last        bool   // it may be the beginning of a word
	number      string // of an edition that may as well be one in the title: Henry the 8th
}

// ParseQuery parses a search. A text without letters and digits gives an empty query,
// which finds nothing. Of a text with an ISBN, the words are those beside it.
func ParseQuery(text string) (Query, error) {
	if utf8.RuneCountInString(text) > MaxQuery {
		return Query{}, ErrQueryTooLong
	}
	text = strings.ToValidUTF8(text, " ")
	isbn, rest := FindISBN(text)
	q := newQuery(rest)
	q.ISBN = cmp.Or(isbn, withoutZero(strings.TrimSpace(rest)))
	return q, nil
}

func newQuery(typed string) Query {
	words := text.Words(typed)
	phrase := lexicon.Split(typed)
	q := Query{
		Key: text.Key(typed), Title: strings.Join(words, " "), Words: significant(distinct(phrase.Words)),
		text: typed, phrase: phrase.Spoken(),
	}
	q.seek()
	return q
}

// seek fills what the query seeks of its words.
func (q *Query) seek() {
	words := q.phrase.Words
	all := len(q.Words) == len(distinct(words)) // articles alone are what is looked for
	named := slices.ContainsFunc(words, isEditionWord)
	for i, w := range words {
		s := sought{
			word: w, canon: lexicon.Canon(w), optional: stopWords[w] && !all,
			initial: len(w) == 1 && w >= "a" && len(words) > 1, last: i == len(words)-1,
		}
		if n, ok := editionAt(words, i); ok {
			q.edition, s.optional = max(q.edition, n), true
			if !named {
				s.number = strconv.Itoa(n)
			}
		}
		q.sought = append(q.sought, s)
	}
	if !q.hasRequired() { // "3rd" alone
		for i := range q.sought {
			q.sought[i].optional = false
		}
	}
	q.Words = q.required()
	for _, j := range q.phrase.Joins {
		if strings.ContainsAny(j.Text, "0123456789") {
			q.courses = append(q.courses, j.Text)
		}
	}
	for _, w := range words {
		if strings.ContainsAny(w, "0123456789") && len(w) > 2 {
			q.courses = append(q.courses, w)
		}
	}
}

func (q *Query) hasRequired() bool { return len(q.required()) > 0 }

// required are the words that a book must have.
func (q *Query) required() (words []string) {
	for _, s := range q.sought {
		if !s.optional && !slices.Contains(words, s.word) {
			words = append(words, s.word)
		}
	}
	return words
}

// editionAt returns the edition that a word is a part of: 3rd, "3 ed", "edition 3"; 0 with true for
// the word edition itself.
func editionAt(words []string, i int) (n int, ok bool) {
	marked := func(i int) bool { return i >= 0 && i < len(words) && isEditionWord(words[i]) }
	if marked(i) {
		return 0, len(words) > 1
	}
	beside := marked(i-1) || marked(i+1)
	if n, ok := lexicon.Ordinal(words[i]); ok && (beside || words[i][0] <= '9') {
		return n, true
	}
	if digits := strings.Trim(words[i], "0123456789"); digits == "" && len(words[i]) <= 2 && beside {
		return atoi(words[i]), true
	}
	return 0, false
}

func atoi(digits string) (n int) {
	for _, d := range []byte(digits) {
		n = 10*n + int(d-'0')
	}
	return n
}

// Text returns the text of the query without an ISBN.
func (q Query) Text() string { return q.text }

// Empty reports whether the query finds nothing.
func (q Query) Empty() bool { return len(q.Words) == 0 && q.ISBN == "" }
