package savedsearch

import (
	"slices"
	"strconv"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/text"
)

// everything is the key of the searches that narrow by price alone.
const everything = "*"

// Words are sets of words, each of which has a word in every book that the query finds by its
// words: one set, unless the query has fillers and nothing else in common without them. It is
// empty if the index needs no word.
func (d Details) Words() [][]string {
	q, err := d.query()
	if err != nil || q.Empty() || q.ISBN != "" || d.Course != "" {
		return nil
	}
	shorter, ok := q.WithoutFillers()
	if !ok {
		return [][]string{q.Words}
	}
	common := slices.DeleteFunc(slices.Clone(q.Words), func(w string) bool { return !slices.Contains(shorter.Words, w) })
	if len(common) > 0 {
		return [][]string{common}
	}
	return [][]string{q.Words, shorter.Words}
}

// query parses the text in simplified Chinese characters, by which books in traditional ones are found, too.
func (d Details) query() (book.Query, error) { return book.ParseQuery(lexicon.Simplified(d.Query)) }

// Keys are the keys under which a search is indexed, with one word of each set of Words. Every
// book that fits has one of them among its BookKeys.
func (d Details) Keys(words []string) []string {
	q, err := d.query()
	switch {
	case err == nil && q.ISBN != "":
		return []string{"i:" + string(q.ISBN)}
	case d.Course != "":
		return []string{courseKey(text.Key(d.Course))}
	case d.Query != "":
		return queryKeys(q, words)
	case d.University != "" && d.Condition != 0:
		return []string{universityKey(d.University) + conditionKey(d.Condition)}
	case d.University != "":
		return []string{universityKey(d.University)}
	case d.Condition != 0:
		return []string{conditionKey(d.Condition)}
	}
	return []string{everything}
}

// queryKeys finds the books with the words, and those for the course that the query names: their
// terms need not have its words.
func queryKeys(q book.Query, words []string) []string {
	keys := []string{courseKey(q.Key)}
	if shorter, ok := q.WithoutFillers(); ok {
		keys = append(keys, courseKey(shorter.Key))
	}
	for _, w := range words {
		keys = append(keys, wordKey(w))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// BookKeys are the keys under which a book looks for the searches that it fits, in byte order.
func BookKeys(b book.Book) []string {
	keys := []string{
		everything, courseKey(text.Key(b.Course)), universityKey(b.University), conditionKey(b.Condition),
		universityKey(b.University) + conditionKey(b.Condition),
	}
	if b.ISBN != "" {
		keys = append(keys, "i:"+string(b.ISBN))
	}
	for _, w := range b.Beginnings() {
		keys = append(keys, wordKey(w))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func courseKey(folded string) string       { return "c:" + folded }
func wordKey(word string) string           { return "w:" + word }
func universityKey(u string) string        { return "u:" + text.Key(u) }
func conditionKey(c book.Condition) string { return "g:" + strconv.Itoa(int(c)) }
