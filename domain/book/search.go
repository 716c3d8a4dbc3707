package book

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
)

// MaxQuery is how many characters a search may have: as many as a name.
const MaxQuery = MaxName

// ErrQueryTooLong refuses a search of more than MaxQuery characters.
var ErrQueryTooLong = fault.New(fault.Invalid, "query_too_long", "A search may have at most 300 characters.").
	WithField("query", "Must be at most 300 characters.")

// Query is a parsed search.
type Query struct {
	ISBN  ISBN     // empty: the text is not an ISBN
	Key   string   // the whole text folded as a course code
	Title string   // the whole text folded as a name
	Words []string // the significant ones, distinct
}

// ParseQuery parses a search. A text without letters and digits gives an empty query,
// which finds nothing.
func ParseQuery(text string) (Query, error) {
	if utf8.RuneCountInString(text) > MaxQuery {
		return Query{}, ErrQueryTooLong
	}
	text = strings.ToValidUTF8(text, " ")
	words := Words(text)
	isbn, _ := ParseISBN(trimISBNLabel(strings.TrimSpace(text)))
	return Query{
		ISBN: isbn, Key: Key(text), Title: strings.Join(words, " "),
		Words: significant(words),
	}, nil
}

// trimISBNLabel removes a label that often precedes an ISBN: "ISBN", "ISBN-13:".
func trimISBNLabel(text string) string {
	const label = "isbn"
	if len(text) < len(label) || !strings.EqualFold(text[:len(label)], label) {
		return text
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(text[len(label):], "-13"), "-10")
	return strings.TrimLeft(rest, ": ")
}

// Empty reports whether the query finds nothing.
func (q Query) Empty() bool { return len(q.Words) == 0 }

// Candidate is a book that the index found, with what ranking needs of it.
type Candidate struct {
	ID     ID
	Course string // as the seller wrote it
	Title  string // folded, see TitleKey
	Price  money.Amount
}

// Hit is a ranked candidate; a higher score is a better match.
type Hit struct {
	Candidate
	Score int
}

// Rank sorts candidates by how well they match the query, best first: exact course, exact
// title, all words, prefixes of words, misspelled words. Within a tier, titles with the
// words in their order and few other words come first, then the newest books. Rank omits
// duplicates and candidates that do not match at all. A query for an ISBN needs no ranking.
func Rank(q Query, candidates []Candidate) []Hit {
	hits := make([]Hit, 0, len(candidates))
	seen := make(map[ID]bool, len(candidates))
	var terms []string // reused for all candidates
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

// The tiers of a score. Within a tier, the order of the words and their share of the title
// decide.
const (
	tier       = 1000
	misspelled = 1 * tier
	prefixes   = 2 * tier
	allWords   = 3 * tier
	sameTitle  = 4 * tier

	// SameCourse is the score of a book for the course that the query names, the highest
	// of all.
	SameCourse = 5 * tier

	titleStart = 500 // the title begins with the words
	inTitle    = 300 // the title contains the words in their order
)

func (q Query) score(c Candidate, terms *[]string) int {
	switch {
	case q.Key != "" && text.HasKey(c.Course, q.Key):
		return SameCourse
	case q.Title != "" && q.Title == c.Title:
		return sameTitle
	}
	return q.scoreWords(c, terms)
}

// scoreWords compares words with the course only if the title does not have them.
func (q Query) scoreWords(c Candidate, terms *[]string) int {
	title, score := c.Title, 0
	*terms = appendTitle((*terms)[:0], title)
	withCourse := false
	for _, w := range q.Words {
		s := scoreWord(w, *terms)
		if s < allWords && !withCourse {
			*terms, withCourse = appendCourse(*terms, c.Course), true
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
		score += titleStart
	case i > 0 && title[i-1] == ' ':
		score += inTitle
	}
	return score + min(99, 100*len(q.Words)/(1+strings.Count(title, " ")))
}

// scoreWord returns the best tier in which one of the terms matches the word.
func scoreWord(w string, terms []string) int {
	best := 0
	for _, t := range terms {
		switch {
		case t == w:
			return allWords
		case strings.HasPrefix(t, w):
			best = prefixes
		case best == 0 && Near(w, t):
			best = misspelled
		}
	}
	return best
}
