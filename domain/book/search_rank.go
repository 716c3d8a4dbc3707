package book

import (
	"cmp"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
)

// Candidate is a book that the index found, with what ranking needs of it.
type Candidate struct {
	ID            ID
	Name, Authors string
	Course        string // as the seller wrote it
	Edition       int
	Condition     Condition
	Price         money.Amount
	University    string // folded
}

// Hit is a ranked candidate; a higher score is a better match.
type Hit struct {
	ID    ID
	Price money.Amount
	Score int64
}

// The tiers of a relevance. Within a tier, the place of the words in the title and their share of it
// decide.
const (
	tier       = 1000
	misspelled = 1 * tier
	prefixes   = 2 * tier
	allWords   = 3 * tier

	// sameCourse is the relevance of a book for the course that the query names, the highest of all.
	sameCourse = 5 * tier
)

// A score has a relevance, and below it what decides between books that are as relevant: the campus of
// the person who searches, the condition and the price.
const (
	priceBits     = 20
	conditionBits = 3
	campusBit     = priceBits + conditionBits
	relevanceBits = campusBit + 1

	// SameCourse is the score of a book for the course that the query names, the highest of all.
	SameCourse int64 = sameCourse << relevanceBits
)

// Relevance returns how well the hit matches, without what decides between equally good ones: 1000 and
// more with misspelled words, 2000 with beginnings of words, 3000 with all of them.
func (h Hit) Relevance() int { return int(h.Score >> relevanceBits) }

// HasAllWords reports whether the hit is among the most relevant ones, of which none has a misspelled word.
func (h Hit) HasAllWords() bool { return h.Relevance() >= allWords }

// Rank sorts candidates by how well they match the query, best first: exact course, all words, prefixes
// of words, misspelled words. Within a tier, exact titles come first, then main titles, then titles
// with the words in their order and few other words. Of equally good ones, those of the campus come
// first, then those in a better condition, then the cheaper, then the newest. Rank omits duplicates and
// candidates that do not match at all. A query for an ISBN needs no ranking.
func Rank(q Query, campus string, candidates []Candidate) []Hit {
	hits := make([]Hit, 0, len(candidates))
	known := map[string][]ranked{} // by name: many are copies of one title
	m := matcher{query: &q}
	for i := range candidates {
		c := &candidates[i]
		copies := known[c.Name]
		of := slices.IndexFunc(copies, func(r ranked) bool { return r.of.isCopyOf(c) })
		if of < 0 {
			of, copies = len(copies), append(copies, ranked{c, m.relevance(c)})
			known[c.Name] = copies
		}
		if r := copies[of].relevance; r > 0 {
			hits = append(hits, Hit{c.ID, c.Price, int64(r)<<relevanceBits + preference(c, r, campus)})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return slices.CompactFunc(hits, func(a, b Hit) bool { return a.ID == b.ID })
}

// ranked is a candidate with its relevance.
type ranked struct {
	of        *Candidate
	relevance int
}

// isCopyOf reports whether two candidates are the same in all that a relevance depends on.
func (c *Candidate) isCopyOf(other *Candidate) bool {
	return c.Name == other.Name && c.Authors == other.Authors && c.Course == other.Course && c.Edition == other.Edition
}

// preference decides between books of one relevance. The books of a course are listed newest first.
func preference(c *Candidate, relevance int, campus string) int64 {
	if relevance == sameCourse {
		return 0
	}
	p := max(0, 1<<priceBits-1-int64(c.Price))
	p += (1<<conditionBits - 1 - int64(c.Condition)) << priceBits
	if campus != "" && c.University == campus {
		p += 1 << campusBit
	}
	return p
}

// matcher compares candidates with one query.
type matcher struct {
	query                   *Query
	title, authors          lexicon.Phrase
	course                  []string
	withAuthors, withCourse bool // they are read; few books need them
	found                   []match
	similar                 []map[string]int // for each word of the query what candidates have instead, which repeat it
}

// match is how well a book has a word of a query, and where.
type match struct {
	quality  int // a tier, less what a lesser form costs; 0: not at all
	from, to int // in the title; -1: elsewhere
}

// What costs relevance within a tier, up to maxCosts: a word that has another form, and an article of the
// query that the title does not have.
const (
	otherForm      = 3
	missingArticle = 25
	maxCosts       = 75
)

// Matches reports whether Rank keeps a candidate.
func (q Query) Matches(c Candidate) bool {
	m := matcher{query: &q}
	return m.relevance(&c) > 0
}

// relevance returns 0 if the candidate does not match.
func (m *matcher) relevance(c *Candidate) int {
	q := m.query
	if q.only && c.Edition != q.edition {
		return 0
	}
	if q.Key != "" && text.HasKey(c.Course, q.Key) {
		return sameCourse
	}
	m.title.Read(c.Name)
	m.withAuthors, m.withCourse, m.found = false, false, m.found[:0]
	if len(q.sought) == 0 {
		return 0
	}
	worst, costs := allWords, 0
	for i, s := range q.sought {
		f := m.find(i, c)
		switch {
		case f.quality == 0 && s.optional:
			costs += missingArticle
		case f.quality == 0:
			return 0
		default:
			whole := (f.quality + tier - 1) / tier * tier
			worst = min(worst, whole)
			costs += whole - f.quality
		}
		m.found = append(m.found, f)
	}
	return worst + max(0, m.fit()-min(costs, maxCosts)+m.identity(c))
}

// identity adds to the relevance of a book with the edition, or the course code, that the query names
// beside other words.
func (m *matcher) identity(c *Candidate) (bonus int) {
	q := m.query
	if q.edition != 0 && q.edition == c.Edition {
		bonus += 60
	}
	if slices.ContainsFunc(q.courses, func(code string) bool { return text.HasKey(c.Course, code) }) {
		bonus += 120
	}
	return bonus
}

// find compares the i-th word of the query with the title, the authors and the course.
func (m *matcher) find(i int, c *Candidate) match {
	s := &m.query.sought[i]
	best := m.findIn(i, &m.title)
	if best.quality >= allWords-otherForm {
		return best
	}
	if best.quality == 0 {
		best = match{0, -1, -1}
	}
	if !m.withAuthors {
		m.authors.Read(c.Authors)
		m.withAuthors = true
	}
	best.quality = max(best.quality, m.findIn(i, &m.authors).quality)
	if best.quality >= allWords-otherForm {
		return best
	}
	if s.initial && slices.ContainsFunc(m.authors.Words, func(w string) bool { return strings.HasPrefix(w, s.word) }) {
		best.quality = allWords - 2*otherForm
		return best
	}
	if !m.withCourse {
		m.course, m.withCourse = appendCourse(m.course[:0], c.Course), true
	}
	best.quality = max(best.quality, m.findIn(i, &lexicon.Phrase{Words: m.course}).quality)
	return best
}

// findIn finds the best match of the i-th word in a phrase, the first of several.
func (m *matcher) findIn(i int, in *lexicon.Phrase) match {
	s := &m.query.sought[i]
	for at, w := range in.Words {
		if w == s.word {
			return match{allWords, at, at + 1}
		}
	}
	if s.optional && s.word == s.canon {
		return findNumber(s, in)
	}
	if f := findJoined(s, m.query.phrase.Joins, i, in); f.quality > 0 {
		return f
	}
	var best match
	for at, w := range in.Words {
		best = closer(best, match{m.similarity(i, w), at, at + 1})
	}
	for _, j := range in.Joins {
		best = closer(best, match{m.similarity(i, j.Text), j.From, j.To})
	}
	return best
}

// findNumber finds the number of an edition as one of the title.
func findNumber(s *sought, in *lexicon.Phrase) match {
	for at := 0; s.number != "" && at < len(in.Words); at++ {
		if lexicon.Canon(in.Words[at]) == s.number {
			return match{allWords - otherForm, at, at + 1}
		}
	}
	return match{}
}

// closer returns the better of two matches, the first of equally good ones.
func closer(a, b match) match {
	if b.quality > a.quality {
		return b
	}
	return a
}

// similarity is similarity of the i-th word, once for a word that several candidates have.
func (m *matcher) similarity(i int, w string) int {
	if m.similar == nil {
		m.similar = make([]map[string]int, len(m.query.sought))
	}
	quality, ok := m.similar[i][w]
	if !ok {
		if quality = similarity(&m.query.sought[i], w); m.similar[i] == nil {
			m.similar[i] = map[string]int{}
		}
		m.similar[i][w] = quality
	}
	return quality
}

// similarity returns the quality of a word that is not the one that is sought.
func similarity(s *sought, w string) int {
	form := lexicon.Canon(w)
	switch {
	case form == s.canon:
		return allWords - otherForm
	case strings.HasPrefix(w, s.word) && Completable(s.word):
		return prefixes
	case Near(s.word, w), form != w && Near(s.word, form):
		return misspelled
	}
	return 0
}

// findJoined finds a word that is one with its neighbours, in the query or in the phrase.
func findJoined(s *sought, joins []lexicon.Join, i int, in *lexicon.Phrase) match {
	for _, j := range in.Joins {
		if j.Text == s.word || len(j.Text) < 5 && j.Text == s.canon {
			return match{allWords - otherForm, j.From, j.To}
		}
	}
	for at := 0; in.Main > 0 && at+1 < len(in.Words); at++ { // operatingsystem; a course has its joins among its words
		if rest, ok := strings.CutPrefix(s.word, in.Words[at]); ok && rest == in.Words[at+1] {
			return match{allWords - otherForm, at, at + 2}
		}
	}
	for _, j := range joins {
		if j.From <= i && i < j.To {
			if found := findJoin(j, in); found != (match{}) {
				return found
			}
		}
	}
	return match{}
}

// findJoin finds words of the query that are one, as a word of the phrase or as several.
func findJoin(j lexicon.Join, in *lexicon.Phrase) match {
	canon := lexicon.Canon(j.Text)
	for at, w := range in.Words {
		if w == j.Text || canon[0] <= '9' && lexicon.Canon(w) == canon { // 21st for twenty-first
			return match{allWords - otherForm, at, at + 1}
		}
	}
	for _, other := range in.Joins {
		if other.Text == j.Text {
			return match{allWords - otherForm, other.From, other.To}
		}
	}
	return match{}
}
