package book

// What the place of the words in the title adds to a relevance. To those that are not exact comes the
// share of the words in the main title, up to 99.
const (
	exactTitle = 900
	exactMain  = 860 // the title up to a colon
	withoutThe = 20  // less, if articles are missing at its beginning
	titleStart = 500 // the title begins with the words
	inTitle    = 300 // the title contains the words in their order
	inOrder    = 150 // with others between them
)

// fit rates where the words are in the title. Words that only the authors or the course have do not
// count, so that "stewart calculus" finds his Calculus before his Precalculus.
func (m *matcher) fit() int {
	first, end, words := -1, -1, 0
	contiguous, ordered := true, true
	for _, f := range m.found {
		if f.quality == 0 || f.from < 0 {
			continue
		}
		switch {
		case first < 0:
			first, end, words = f.from, f.to, f.to-f.from
		case f.to == end: // the same word again, as one with its neighbour
		case f.from >= end:
			contiguous = contiguous && f.from == end
			end, words = f.to, words+f.to-f.from
		default:
			ordered = false
			words += f.to - f.from
		}
	}
	if first < 0 {
		return 0
	}
	start := m.titleStart()
	whole := ordered && contiguous && first <= start
	share := min(99, 99*words/max(1, m.title.Main))
	switch {
	case whole && end == len(m.title.Words):
		return exactTitle - withoutThe*first
	case whole && end == m.title.Main:
		return exactMain - withoutThe*first
	case whole:
		return titleStart + share
	case ordered && contiguous:
		return inTitle + share
	case ordered:
		return inOrder + share
	}
	return share
}

// titleStart is the place of the first word that is no article.
func (m *matcher) titleStart() (at int) {
	for at+1 < len(m.title.Words) && articles[m.title.Words[at]] {
		at++
	}
	return at
}

// articles begin titles and are left out by people who look for them.
var articles = setOf("the", "a", "an", "le", "la", "les", "l", "un", "une", "der", "die", "das", "el", "los", "las", "il", "lo")
