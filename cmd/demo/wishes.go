package demo

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	booksPerRequest = 5
	// openPerUser keeps a small campus with many books from wanting everything.
	openPerUser = 20
	// Of a hundred requests so many were filled, and of the others so many are for
	// a book that somebody sells.
	filledOf100, soldOf100 = 12, 50
)

// wishes are all requests, oldest first, and the open ones by what books find
// them by: ISBN and course, or the rarest word of the name.
type wishes struct {
	all    []demostore.Request
	words  [][]string // the significant ones of each name
	byKey  map[string][]int32
	byWord map[string][]int32
	fills  []int // those that are going to be filled, oldest first
}

func (f *filler) imagineWishes() *wishes {
	n := min(f.Books/booksPerRequest, f.Users*openPerUser)
	w := &wishes{all: make([]demostore.Request, n), words: make([][]string, n), byKey: map[string][]int32{}, byWord: map[string][]int32{}}
	words := f.rareWords()
	for i := range w.all {
		part := float64(i) / float64(n)
		r := rand.New(rand.NewPCG(f.Seed^0x5eed, uint64(i)))
		request := book.Request{ID: book.RequestID(i + 1), Owner: f.somebody(r, part), CreatedAt: f.calendar.at(part)}
		if r.IntN(100) < filledOf100 {
			request.Status = book.Filled
			w.fills = append(w.fills, i)
		}
		request.RequestDetails = f.wish(r)
		w.words[i] = book.Significant(request.Name)
		word := words.rarest(w.words[i])
		w.all[i] = demostore.Request{Request: request, Word: word}
		if request.Status == book.Open {
			w.file(int32(i), request.RequestDetails, word)
		}
	}
	return w
}

func (w *wishes) file(i int32, wish book.RequestDetails, word string) {
	for _, key := range wish.Keys("") {
		w.byKey[key] = append(w.byKey[key], i)
	}
	w.byWord[word] = append(w.byWord[word], i)
}

// somebody is anybody who was there by then.
func (f *filler) somebody(r *rand.Rand, part float64) user.ID {
	return user.ID(1 + r.IntN(f.known(part)))
}

// wish is for a book of which there are few, or none: what there is plenty of
// nobody has to wait for.
func (f *filler) wish(r *rand.Rand) book.RequestDetails {
	w := f.catalog.unsold(r)
	if r.IntN(100) < soldOf100 {
		w = f.catalog.rare(r)
	}
	wish := book.RequestDetails{Name: w.title, Course: w.course}
	if f.catalog.works > manyWorks || r.IntN(10) < 9 { // of a title alone there may be hundreds
		wish.Name += " (" + w.author + ")"
	}
	if r.IntN(3) == 0 {
		wish.ISBN = w.isbn(w.edition)
	}
	if r.IntN(5) == 0 {
		wish.Edition = w.edition
	}
	if r.IntN(2) == 0 {
		wish.MaxPrice = w.price(w.edition, book.LikeNew, r)
	}
	return wish
}

// matching calls found for every open request that a book for sale matches,
// each once.
func (w *wishes) matching(b book.Book, found func(*demostore.Request, book.Reason)) {
	var candidates []int32
	for _, key := range (book.RequestDetails{ISBN: b.ISBN, Course: b.Course}).Keys("") {
		candidates = append(candidates, w.byKey[key]...)
	}
	words := book.Words(b.Name)
	for _, word := range words {
		for _, i := range w.byWord[word] { // many in vain, which is quickly seen
			if containsAll(words, w.words[i]) {
				candidates = append(candidates, i)
			}
		}
	}
	if len(candidates) == 0 {
		return
	}
	matcher := book.NewMatcher(b)
	slices.Sort(candidates)
	for _, i := range slices.Compact(candidates) {
		if reason, ok := matcher.Match(w.all[i].Request); ok {
			found(&w.all[i], reason)
		}
	}
}

func containsAll(words, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(words, w) })
}

// wantedBy reports whether a person looks for a book: buying it would fill the
// request.
func (w *wishes) wantedBy(who user.ID, b book.Book) bool {
	wanted := false
	w.matching(b, func(r *demostore.Request, _ book.Reason) { wanted = wanted || r.Owner == who })
	return wanted
}

// fill turns the oldest request that was going to be filled into one for the
// book that its owner has just bought.
func (f *filler) fill(b book.Book, at time.Time) {
	w := f.wishes
	if len(w.fills) == 0 {
		return
	}
	r := &w.all[w.fills[0]]
	if r.CreatedAt.After(at) || f.joined(int(b.Buyer)-1).After(r.CreatedAt) {
		return
	}
	w.fills = w.fills[1:]
	r.Owner, r.Word = b.Buyer, ""
	r.RequestDetails = book.RequestDetails{Name: b.Name, Course: b.Course}
	r.Fill(b.ID)
}

// frequencies count in how many works of the catalog a word stands.
type frequencies map[string]int

func (f *filler) rareWords() frequencies {
	words := frequencies{}
	sample := min(f.catalog.works, 20_000)
	for n := range sample {
		w := f.catalog.work(n * f.catalog.works / sample)
		for _, word := range book.Significant(w.title + " " + w.author) {
			words[word]++
		}
	}
	return words
}

// rarest is the word that stands in the fewest works.
func (f frequencies) rarest(words []string) string {
	best := ""
	for _, w := range words {
		if best == "" || f[w] < f[best] {
			best = w
		}
	}
	return best
}
