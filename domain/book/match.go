package book

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Reason says by what a book matches a request.
type Reason string

// The reasons, from strongest to weakest.
const (
	ByISBN   Reason = "isbn"
	ByCourse Reason = "course"
	ByTitle  Reason = "title"
)

// Pair is a book that matches a request.
type Pair struct {
	ID        int64 // a higher one was found later
	Book      ID
	Request   RequestID
	Owner     user.ID // of the request
	Reason    Reason
	CreatedAt time.Time
}

// Matcher holds a book ready to be compared with many requests.
type Matcher struct {
	book   Book
	course string
	words  []string // distinct
	signs  signs
}

// NewMatcher prepares a book.
func NewMatcher(b Book) Matcher {
	return Matcher{book: b, course: Key(b.Course), words: distinct(Words(b.Name)), signs: signsOf(b.Name)}
}

// Match reports by what the book matches the request, the strongest reason
// first. The book must be for sale and the request open, their owners must
// differ, and the request's edition and highest price, if any, must be met. By
// title, C# is no C++.
func (m Matcher) Match(r Request) (Reason, bool) {
	switch b := m.book; {
	case b.Status != ForSale, r.Status != Open, b.Seller == r.Owner,
		r.Edition != 0 && r.Edition != b.Edition,
		r.MaxPrice != 0 && r.MaxPrice < b.Price:
		return "", false
	case r.ISBN != "" && r.ISBN == b.ISBN:
		return ByISBN, true
	case m.course != "" && m.course == Key(r.Course):
		return ByCourse, true
	}
	wanted := Significant(r.Name)
	missing := func(w string) bool { return !slices.Contains(m.words, w) }
	return ByTitle, len(wanted) > 0 && !slices.ContainsFunc(wanted, missing) && !m.signs.lacks(signsOf(r.Name))
}

// Keys are what a request must be filed under to be found by the book: its ISBN,
// its course and each word of its name.
func (m Matcher) Keys() []string {
	keys := append(make([]string, 0, len(m.words)+2), identityKeys(m.book.ISBN, m.course)...)
	for _, w := range m.words {
		keys = append(keys, wordKey(w))
	}
	return keys
}

// Signature is that of the words of the book's name.
func (m Matcher) Signature() Signature { return Sign(m.words) }

// Keys file a wish: under its ISBN, its course and one word of its name, for
// any book that matches by title has that word too. The rarer the word, the
// fewer books look here in vain. No word, no such key.
func (w Wish) Keys(word string) []string {
	keys := identityKeys(w.ISBN, Key(w.Course))
	if word != "" {
		keys = append(keys, wordKey(word))
	}
	return keys
}

// Filing is where an open request is found: under the key, by books that have the
// words.
type Filing struct {
	Key   string
	Words Signature
}

// Filings are the wish's keys, see Keys. Who finds it under a word needs to have
// all the others too; who finds it under its ISBN or course needs none.
func (w Wish) Filings(word string) []Filing {
	var filings []Filing
	for _, k := range identityKeys(w.ISBN, Key(w.Course)) {
		filings = append(filings, Filing{Key: k})
	}
	if word != "" {
		filings = append(filings, Filing{wordKey(word), Sign(Significant(w.Name))})
	}
	return filings
}

// identityKeys are of an ISBN and of a course as Key folds it.
func identityKeys(isbn ISBN, course string) []string {
	var keys []string
	if isbn != "" {
		keys = append(keys, "i:"+string(isbn))
	}
	if course != "" {
		keys = append(keys, "c:"+course)
	}
	return keys
}

func wordKey(word string) string { return "w:" + word }

// Clue leads from a request to the books that might match it; one of its
// fields is set, by the reason.
type Clue struct {
	Reason Reason
	ISBN   ISBN
	Course string   // folded
	Words  []string // all of them
}

// Clues are the ways to a book that matches, the strongest first.
func (w Wish) Clues() []Clue {
	var clues []Clue
	if w.ISBN != "" {
		clues = append(clues, Clue{Reason: ByISBN, ISBN: w.ISBN})
	}
	if k := Key(w.Course); k != "" {
		clues = append(clues, Clue{Reason: ByCourse, Course: k})
	}
	if words := Significant(w.Name); len(words) > 0 {
		clues = append(clues, Clue{Reason: ByTitle, Words: words})
	}
	return clues
}
