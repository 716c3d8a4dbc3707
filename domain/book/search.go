package book

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
)

// MaxQuery is how many characters a search may have; no name is longer.
const MaxQuery = MaxName

// ErrQueryTooLong refuses a search of more than MaxQuery characters.
var ErrQueryTooLong = fault.New(fault.Invalid, "query_too_long", "A search may have at most 300 characters.").
	WithField("query", "Must be at most 300 characters.")

// Query is what somebody looks for, taken apart.
type Query struct {
	ISBN  ISBN     // empty: the text is none
	Key   string   // the whole text folded as a course code
	Title string   // the whole text folded as a name
	Words []string // the significant ones, distinct
}

// ParseQuery reads a search. A text with nothing to look for in it gives an
// empty query, which finds nothing.
func ParseQuery(text string) (Query, error) {
	if utf8.RuneCountInString(text) > MaxQuery {
		return Query{}, ErrQueryTooLong
	}
	words := Words(strings.ToValidUTF8(text, " "))
	isbn, _ := ParseISBN(withoutLabel(strings.TrimSpace(text)))
	return Query{
		ISBN: isbn, Key: strings.Join(words, ""), Title: strings.Join(words, " "),
		Words: significant(words),
	}, nil
}

// withoutLabel drops what often stands before an ISBN: "ISBN", "ISBN-13:".
func withoutLabel(text string) string {
	const label = "isbn"
	if len(text) < len(label) || !strings.EqualFold(text[:len(label)], label) {
		return text
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(text[len(label):], "-13"), "-10")
	return strings.TrimLeft(rest, ": ")
}

// Empty reports whether there is nothing to look for.
func (q Query) Empty() bool { return len(q.Words) == 0 }

// Candidate is what ranking needs to know of a book that a search has found.
type Candidate struct {
	ID     ID
	Course string // as the seller wrote it
	Title  string // folded, see TitleKey
	Price  money.Cents
}

// Hit is a ranked candidate; a higher score answers the query better.
type Hit struct {
	Candidate
	Score int
}

// Rank sorts candidates by how well they answer the query, best first: the exact
// course, the exact title, all words, beginnings of words, misspelt words; among
// equals the words in their order and a name with little else in it, then the
// newest. A candidate that does not answer the query at all is left out, and so
// are repetitions. Who looks for an ISBN wants that and no ranking.
func Rank(q Query, candidates []Candidate) []Hit {
	hits := make([]Hit, 0, len(candidates))
	seen := make(map[ID]bool, len(candidates))
	var terms []string // one for all candidates
	for _, c := range candidates {
		if score := q.score(c, &terms); score > 0 && !seen[c.ID] {
			seen[c.ID] = true
			hits = append(hits, Hit{c, score})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
	})
	return hits
}

// The tiers of a score. Within one, the order of words and how much of the name
// they cover decide.
const (
	tier       = 1000
	misspelt   = 1 * tier
	beginnings = 2 * tier
	allWords   = 3 * tier
	sameTitle  = 4 * tier

	// SameCourse is the score of whatever is for the course that the query names:
	// the highest there is.
	SameCourse = 5 * tier

	leading = 500 // the name begins with the words
	inOrder = 300 // the words stand together
)

func (q Query) score(c Candidate, terms *[]string) int {
	switch {
	case q.Key != "" && hasKey(c.Course, q.Key):
		return SameCourse
	case q.Title != "" && q.Title == c.Title:
		return sameTitle
	}
	return q.scoreWords(c, terms)
}

// scoreWords looks at the course only for words that the title does not have.
func (q Query) scoreWords(c Candidate, terms *[]string) int {
	title, score := c.Title, 0
	*terms = appendTitle((*terms)[:0], title)
	whole := false
	for _, w := range q.Words {
		s := scoreWord(w, *terms)
		if s < allWords && !whole {
			*terms, whole = appendCourse(*terms, c.Course), true
			s = scoreWord(w, *terms)
		}
		if s == 0 {
			return 0
		}
		if score == 0 || s < score {
			score = s
		}
	}
	switch i := strings.Index(title, q.Title); {
	case score == 0:
		return 0
	case i == 0:
		score += leading
	case i > 0 && title[i-1] == ' ':
		score += inOrder
	}
	return score + min(99, 100*len(q.Words)/(1+strings.Count(title, " ")))
}

// scoreWord is the best tier in which one of the terms answers the word.
func scoreWord(w string, terms []string) int {
	best := 0
	for _, t := range terms {
		switch {
		case t == w:
			return allWords
		case strings.HasPrefix(t, w):
			best = beginnings
		case best == 0 && Near(w, t):
			best = misspelt
		}
	}
	return best
}
