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
	// openPerUser bounds the requests of a small campus with many books.
	openPerUser = 20
	// Of a hundred requests, so many were filled, and so many of the others are for a title
	// that is sold.
	filledOf100, soldOf100 = 12, 50
)

// requestPlan has all requests, oldest first, and an index of the open ones by ISBN and
// course, and by the rarest word of the name.
type requestPlan struct {
	all    []demostore.Request
	words  [][]string // significant words of each name
	byKey  map[string][]int32
	byWord map[string][]int32
	toFill []int // requests to fill, oldest first
}

func (g *generator) planRequests() *requestPlan {
	n := min(g.Books/booksPerRequest, g.Users*openPerUser)
	w := &requestPlan{all: make([]demostore.Request, n), words: make([][]string, n), byKey: map[string][]int32{}, byWord: map[string][]int32{}}
	words := g.rareWords()
	for i := range w.all {
		part := float64(i) / float64(n)
		r := rand.New(rand.NewPCG(g.Seed^0x5eed, uint64(i)))
		request := book.Request{ID: book.RequestID(i + 1), Owner: g.randomUser(r, part), CreatedAt: g.calendar.at(part)}
		if r.IntN(100) < filledOf100 {
			request.Status = book.Filled
			w.toFill = append(w.toFill, i)
		}
		request.RequestDetails = g.requestDetails(r)
		w.words[i] = book.Significant(request.Name)
		word := words.rarest(w.words[i])
		w.all[i] = demostore.Request{Request: request, Word: word}
		if request.Status == book.Open {
			w.index(int32(i), request.RequestDetails, word)
		}
	}
	return w
}

func (w *requestPlan) index(i int32, d book.RequestDetails, word string) {
	for _, key := range d.Keys("") {
		w.byKey[key] = append(w.byKey[key], i)
	}
	w.byWord[word] = append(w.byWord[word], i)
}

// randomUser returns a user who has signed up by then.
func (g *generator) randomUser(r *rand.Rand, part float64) user.ID {
	return user.ID(1 + r.IntN(g.userCount(part)))
}

// requestDetails generates a request for a title with few or no copies, because nobody has to
// wait for popular ones.
func (g *generator) requestDetails(r *rand.Rand) book.RequestDetails {
	w := g.catalog.unsold(r)
	if r.IntN(100) < soldOf100 {
		w = g.catalog.rare(r)
	}
	d := book.RequestDetails{Name: w.title, Course: w.course}
	if g.catalog.works > manyWorks || r.IntN(10) < 9 { // hundreds of books may have the title alone
		d.Name += " (" + w.author + ")"
	}
	if r.IntN(3) == 0 {
		d.ISBN = w.isbn(w.edition)
	}
	if r.IntN(5) == 0 {
		d.Edition = w.edition
	}
	if r.IntN(2) == 0 {
		d.MaxPrice = g.tariff.price(w.dollars(w.edition, book.LikeNew, r), r)
	}
	return d
}

// eachMatch calls found once for every open request that a book for sale matches.
func (w *requestPlan) eachMatch(b book.Book, found func(*demostore.Request, book.Reason)) {
	var candidates []int32
	for _, key := range (book.RequestDetails{ISBN: b.ISBN, Course: b.Course}).Keys("") {
		candidates = append(candidates, w.byKey[key]...)
	}
	words := book.Words(b.Name)
	for _, word := range words {
		for _, i := range w.byWord[word] { // most do not match; containsAll is cheaper than Match
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

// isWantedBy reports whether a user has requested a book: buying it would fill the request.
func (w *requestPlan) isWantedBy(who user.ID, b book.Book) bool {
	wanted := false
	w.eachMatch(b, func(r *demostore.Request, _ book.Reason) { wanted = wanted || r.Owner == who })
	return wanted
}

// fillRequest turns the oldest request of toFill into one for the book that its owner has just
// bought.
func (g *generator) fillRequest(b book.Book, at time.Time) {
	w := g.planned
	if len(w.toFill) == 0 {
		return
	}
	r := &w.all[w.toFill[0]]
	if r.CreatedAt.After(at) || g.signUpTime(int(b.Buyer)-1).After(r.CreatedAt) {
		return
	}
	w.toFill = w.toFill[1:]
	r.Owner, r.Word = b.Buyer, ""
	r.RequestDetails = book.RequestDetails{Name: b.Name, Course: b.Course}
	r.Fill(b.ID)
}

// frequencies count the works of the catalog that have a word.
type frequencies map[string]int

func (g *generator) rareWords() frequencies {
	words := frequencies{}
	sample := min(g.catalog.works, 20_000)
	for n := range sample {
		w := g.catalog.work(n * g.catalog.works / sample)
		for _, word := range book.Significant(w.title + " " + w.author) {
			words[word]++
		}
	}
	return words
}

// rarest returns the word that the fewest works have.
func (f frequencies) rarest(words []string) string {
	best := ""
	for _, w := range words {
		if best == "" || f[w] < f[best] {
			best = w
		}
	}
	return best
}
