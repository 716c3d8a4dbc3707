package book

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Reason is why a book matches a request.
type Reason string

// The reasons, from strongest to weakest.
const (
	ByISBN   Reason = "isbn"
	ByCourse Reason = "course"
	ByTitle  Reason = "title"
)

// Match records that a book matches a request.
type Match struct {
	ID        int64 // ascending in the order of discovery
	Book      ID
	Request   RequestID
	Owner     user.ID // of the request
	Reason    Reason
	CreatedAt time.Time
}

// Matcher compares one book with many requests.
type Matcher struct {
	book     Book
	course   string
	words    []string // distinct
	suffixes symbolSuffixes
}

// NewMatcher returns the matcher of a book.
func NewMatcher(b Book) Matcher {
	return Matcher{book: b, course: text.Key(b.Course), words: distinct(matchWords(b.Name)), suffixes: symbolSuffixesOf(b.Name)}
}

// Match returns the strongest reason for which the book matches the request; false if it
// does not match. The book must be for sale and the request open, their owners must
// differ, and the book must meet the edition and maximum price of the request, if any. By
// title, a book about C# does not match a request for C++.
func (m Matcher) Match(r Request) (Reason, bool) {
	switch b := m.book; {
	case b.Status != ForSale, r.Status != Open, b.Seller == r.Owner,
		r.Edition != 0 && r.Edition != b.Edition,
		r.MaxPrice != 0 && r.MaxPrice < b.Price:
		return "", false
	case r.ISBN != "" && r.ISBN == b.ISBN:
		return ByISBN, true
	case m.course != "" && m.course == text.Key(r.Course):
		return ByCourse, true
	}
	wanted := Significant(r.Name)
	missing := func(w string) bool { return !slices.Contains(m.words, w) }
	return ByTitle, len(wanted) > 0 && !slices.ContainsFunc(wanted, missing) && !m.suffixes.conflictWith(symbolSuffixesOf(r.Name))
}

// Keys are the keys in the index of requests under which the book looks for requests: its
// ISBN, its course and each word of its name.
func (m Matcher) Keys() []string {
	keys := append(make([]string, 0, len(m.words)+2), identityKeys(m.book.ISBN, m.course)...)
	for _, w := range m.words {
		keys = append(keys, wordKey(w))
	}
	return keys
}

// BloomFilter is the filter of the words of the book's name.
func (m Matcher) BloomFilter() BloomFilter { return NewBloomFilter(m.words) }

// Keys are the keys under which a request is indexed: its ISBN, its course and the given
// word of its name. One word suffices, because any book that matches by title has it; the
// rarer the word, the fewer books read the request in vain. An empty word adds no key.
func (d RequestDetails) Keys(word string) []string {
	keys := identityKeys(d.ISBN, text.Key(d.Course))
	if word != "" {
		keys = append(keys, wordKey(word))
	}
	return keys
}

// IndexEntry indexes an open request under a key, for books that have all the words.
type IndexEntry struct {
	Key   string
	Words BloomFilter
}

// IndexEntries are the entries of a request in the index, one for each of Keys. A book that
// finds it by a word must have all significant words; one that finds it by ISBN or course
// needs none.
func (d RequestDetails) IndexEntries(word string) []IndexEntry {
	var entries []IndexEntry
	for _, k := range identityKeys(d.ISBN, text.Key(d.Course)) {
		entries = append(entries, IndexEntry{Key: k})
	}
	if word != "" {
		entries = append(entries, IndexEntry{wordKey(word), NewBloomFilter(Significant(d.Name))})
	}
	return entries
}

// identityKeys are the keys of an ISBN and of a folded course, unless they are empty.
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

// SearchKey finds the books that might match a request for one reason. Only the field for
// the reason is set.
type SearchKey struct {
	Reason Reason
	ISBN   ISBN
	Course string   // folded
	Words  []string // all of them
}

// SearchKeys find all books that match the request, the strongest reason first.
func (d RequestDetails) SearchKeys() []SearchKey {
	var keys []SearchKey
	if d.ISBN != "" {
		keys = append(keys, SearchKey{Reason: ByISBN, ISBN: d.ISBN})
	}
	if k := text.Key(d.Course); k != "" {
		keys = append(keys, SearchKey{Reason: ByCourse, Course: k})
	}
	if words := Significant(d.Name); len(words) > 0 {
		keys = append(keys, SearchKey{Reason: ByTitle, Words: words})
	}
	return keys
}
