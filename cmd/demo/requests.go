package demo

import (
	"context"
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

// requestPlan says which requests there are, numbered from 0, oldest first. A request is a
// function of its number, until it is filled.
type requestPlan struct {
	count    int
	words    frequencies
	open     *postings
	toFill   []int32 // requests to fill, oldest first
	filledBy []int32 // the books that fill the first of them
}

// postingsPerRequest is about how many entries of the index a request has.
const postingsPerRequest = 2.5

func (g *generator) planRequests(ctx context.Context) error {
	n := min(g.Books/booksPerRequest, g.Users*openPerUser)
	w := &requestPlan{count: n, words: g.rareWords(), open: newPostings(int(postingsPerRequest * float64(n)))}
	g.planned = w
	for i := range n {
		if i%batchSize == 0 {
			g.report("planning requests", i, n)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		r := g.request(i)
		if r.Status == book.Filled {
			w.toFill = append(w.toFill, int32(i))
			continue
		}
		for _, e := range r.IndexEntries(w.rarestWord(r)) {
			w.open.add(i, e)
		}
	}
	w.open.sort()
	return nil
}

// request generates a request as it was planned: one that is to be filled gets its book by fill.
func (g *generator) request(i int) book.Request {
	r := g.randomOfRequest(i)
	request := book.Request{ID: book.RequestID(i + 1), Owner: g.randomUser(r, g.planned.part(i)), CreatedAt: g.requestTime(i)}
	if r.IntN(100) < filledOf100 {
		request.Status = book.Filled
	}
	request.RequestDetails = g.requestDetails(r)
	return request
}

func (g *generator) randomOfRequest(i int) *rand.Rand {
	return rand.New(rand.NewPCG(g.Seed^0x5eed, uint64(i)))
}

// requestOwner is the owner of request(i).
func (g *generator) requestOwner(i int) user.ID {
	return g.randomUser(g.randomOfRequest(i), g.planned.part(i))
}

func (g *generator) requestTime(i int) time.Time { return g.calendar.at(g.planned.part(i)) }

// part is the share of all requests that come before a request.
func (w *requestPlan) part(i int) float64 { return float64(i) / float64(w.count) }

// rarestWord is the word under which a request is indexed.
func (w *requestPlan) rarestWord(r book.Request) string {
	return w.words.rarest(book.Significant(r.Name))
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
func (g *generator) eachMatch(b book.Book, found func(i int, createdAt time.Time, reason book.Reason)) {
	m := book.NewMatcher(b)
	for _, i := range g.planned.open.find(m.Keys(), m.BloomFilter()) {
		r := g.request(int(i))
		if reason, ok := m.Match(r); ok {
			found(int(i), r.CreatedAt, reason)
		}
	}
}

// isWantedBy reports whether a user has requested a book: buying it would fill the request.
func (g *generator) isWantedBy(who user.ID, b book.Book) bool {
	m := book.NewMatcher(b)
	return slices.ContainsFunc(g.planned.open.find(m.Keys(), m.BloomFilter()), func(i int32) bool {
		if g.requestOwner(int(i)) != who {
			return false
		}
		_, ok := m.Match(g.request(int(i)))
		return ok
	})
}

// fillRequest turns the oldest request of toFill into one for the book that its owner has just
// bought.
func (g *generator) fillRequest(b book.Book, at time.Time) {
	w := g.planned
	if len(w.filledBy) == len(w.toFill) {
		return
	}
	created := g.requestTime(int(w.toFill[len(w.filledBy)]))
	if created.After(at) || g.signUpTime(int(b.Buyer)-1).After(created) {
		return
	}
	w.filledBy = append(w.filledBy, int32(b.ID))
}

// addRequests comes last, when it is known which requests are filled. It omits those that were
// to be filled but for which there was no order.
func (g *generator) addRequests(ctx context.Context) error {
	w := g.planned
	total := w.count - (len(w.toFill) - len(w.filledBy))
	done, filled := 0, 0
	for i := range w.count {
		r := demostore.Request{Request: g.request(i)}
		switch {
		case r.Status != book.Filled:
			r.Word = w.rarestWord(r.Request)
		case filled == len(w.filledBy):
			continue
		default:
			g.fill(&r.Request, book.ID(w.filledBy[filled]))
			filled++
		}
		done++
		g.batch.Requests = append(g.batch.Requests, r)
		if len(g.batch.Requests) == batchSize || done == total {
			if err := g.flush(ctx, "requests", done, total); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill turns a request into one for the book that its owner has bought.
func (g *generator) fill(r *book.Request, by book.ID) {
	d := g.draft(by)
	g.orderOf(&d)
	r.Owner = d.book.Buyer
	r.RequestDetails = book.RequestDetails{Name: d.book.Name, Course: d.book.Course}
	r.Fill(by)
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
