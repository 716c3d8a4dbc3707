package market

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// What a search may look at.
const (
	maxCandidates  = 100          // of each kind, newest first; the best are chosen from them
	minBeginning   = 2            // letters of a word that may be the beginning of another
	enough         = DefaultLimit // with as many exact answers, nothing wider is looked for
	maxBeginnings  = 16           // terms that a word may be the beginning of
	maxCorrections = 32           // terms that a word may be a slip for
	maxUnknown     = 8            // words that are no terms; with more of them nothing is found
)

// Search lists the books for sale that answer a text: by ISBN, course code or
// words of the name, in which case, accents and punctuation do not count. The
// last word, and any that is no term, may be the beginning of one; only if that
// finds nothing, slips are forgiven, and then words that do not say which book it is. The caller's own books are left out; the
// zero Caller has none. The best match comes first. All books of an ISBN or of a
// course are found; of those with the words, the newest hundred.
func (c *Catalogue) Search(ctx context.Context, by user.Caller, text string, f Filter, p Page) ([]BookView, Cursor, error) {
	q, err := book.ParseQuery(text)
	if err != nil {
		return nil, "", err
	}
	criteria, err := f.criteria(by.ID)
	if err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil || q.Empty() {
		return nil, "", err
	}
	if q.ISBN != "" {
		criteria.ISBN = q.ISBN
		return c.list(ctx, criteria, f.Sort, at, n)
	}
	views, next, err := c.find(ctx, q, criteria, f.Sort, at, n)
	if looser, ok := q.Looser(); ok && err == nil && len(views) == 0 {
		return c.find(ctx, looser, criteria, f.Sort, at, n)
	}
	return views, next, err
}

// find answers a query as it stands. Every word of a book that was ever listed is a term, and so
// is its course: what is no term need not be looked for.
func (c *Catalogue) find(ctx context.Context, q book.Query, criteria Criteria, s Sort, at Position, n int) ([]BookView, Cursor, error) {
	known, err := c.words.Known(ctx, append(slices.Clone(q.Words), q.Key))
	if err != nil {
		return nil, "", err
	}
	if !slices.Contains(known, q.Key) {
		q.Key = ""
	}
	var named []BookView
	if s == Usual && q.Key != "" {
		named, err = c.named(ctx, q.Key, criteria, at, n+1)
		if err != nil || len(named) > n {
			page, next := cut(named, n, positionOfNamed)
			return page, next, err
		}
		if at.Start() && len(named) == 0 {
			q.Key = "" // there is no such course
		}
	}
	found, err := c.candidates(ctx, q, known, criteria, s)
	if err != nil {
		return nil, "", err
	}
	hits, next := s.page(book.Rank(q, found), named, at, n)
	views, err := c.inOrder(ctx, hits)
	return append(named, views...), next, err
}

// named are the books of the course with this key. They come before all others,
// the newest first, so that they need no ranking.
func (c *Catalogue) named(ctx context.Context, course string, criteria Criteria, at Position, n int) ([]BookView, error) {
	if criteria.Course != "" && criteria.Course != course || !at.Start() && at.Key != book.SameCourse {
		return nil, nil
	}
	criteria.Course = course
	return c.books.Listed(ctx, criteria, Newest, Position{ID: at.ID}, n)
}

func positionOfNamed(v BookView) Position { return Position{Key: book.SameCourse, ID: int64(v.ID)} }

// page is what of the ranked hits follows the named books, n in all, and where
// the next page begins.
func (s Sort) page(hits []book.Hit, named []BookView, at Position, n int) ([]book.Hit, Cursor) {
	if s == Usual {
		hits = slices.DeleteFunc(hits, func(h book.Hit) bool { return h.Score == book.SameCourse })
	}
	hits, rest := following(hits, s, at), n-len(named)
	if len(hits) > 0 && rest == 0 {
		return nil, positionOfNamed(named[n-1]).cursor()
	}
	return cut(hits, rest, s.positionOf)
}

// candidates asks the index for the words and for the exact keys, each wider
// than the last until there is enough. Among all books that have the words are those with the
// whole title, and in the usual order the course has been listed already.
func (c *Catalogue) candidates(ctx context.Context, q book.Query, known []string, criteria Criteria, s Sort) (found []book.Candidate, err error) {
	if !slices.ContainsFunc(q.Words, func(w string) bool { return !slices.Contains(known, w) }) {
		if found, err = c.index.Containing(ctx, single(q.Words), criteria, maxCandidates); err != nil {
			return nil, err
		}
	}
	course, title := q.Key, q.Title
	if s == Usual {
		course = ""
	}
	if len(found) < maxCandidates {
		title = ""
	}
	exactly, err := c.index.Exact(ctx, course, title, criteria, maxCandidates)
	if found = append(found, exactly...); err != nil || len(found) >= enough {
		return found, err
	}
	return c.wider(ctx, found, q.Words, known, criteria)
}

// wider adds books with words that the words may stand for.
func (c *Catalogue) wider(ctx context.Context, found []book.Candidate, words, known []string, criteria Criteria) ([]book.Candidate, error) {
	for _, widen := range []func(context.Context, string) ([]string, error){c.beginnings, c.corrections} {
		groups, err := c.widened(ctx, words, known, widen)
		if err != nil {
			return found, err
		}
		if groups != nil {
			more, err := c.index.Containing(ctx, groups, criteria, maxCandidates)
			if found = append(found, more...); err != nil {
				return found, err
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return found, nil
}

func single(words []string) [][]string {
	groups := make([][]string, len(words))
	for i, w := range words {
		groups[i] = []string{w}
	}
	return groups
}

// widened gives each word that is no term, and the last, the terms that it may stand for;
// nil if one stands for none or too many words are unknown. If all are terms, what has them is
// found already, so that the last does not stand for itself.
func (c *Catalogue) widened(ctx context.Context, words, known []string, widen func(context.Context, string) ([]string, error)) ([][]string, error) {
	isTerm := func(w string) bool { return slices.Contains(known, w) }
	unknown := slices.DeleteFunc(slices.Clone(words), isTerm)
	if len(unknown) > maxUnknown {
		return nil, nil
	}
	groups := single(words)
	for i, w := range words {
		if i < len(words)-1 && isTerm(w) {
			continue
		}
		terms, err := widen(ctx, w)
		if err != nil {
			return nil, err
		}
		terms = slices.DeleteFunc(terms, func(term string) bool { return term == w })
		if len(unknown) > 0 && isTerm(w) {
			terms = append(terms, w)
		}
		if len(terms) == 0 {
			return nil, nil
		}
		groups[i] = terms
	}
	return groups, nil
}

// beginnings are the terms that a word may be the beginning of; a single letter
// may be that of too many.
func (c *Catalogue) beginnings(ctx context.Context, w string) ([]string, error) {
	if utf8.RuneCountInString(w) < minBeginning {
		return nil, nil
	}
	return c.words.Starting(ctx, w, maxBeginnings)
}

// corrections are the terms near a word, also with another ending. It may be the
// beginning of one, too: a slip in one word must not forbid that in another.
func (c *Catalogue) corrections(ctx context.Context, w string) ([]string, error) {
	near, err := c.words.Resembling(ctx, book.Spellings(w), maxCorrections)
	if err != nil {
		return nil, err
	}
	akin, err := c.beginnings(ctx, book.Stem(w))
	return slices.DeleteFunc(append(near, akin...), func(term string) bool {
		return !strings.HasPrefix(term, w) && !book.Near(w, term)
	}), err
}

// following is the rest of the ranked hits after a position, in the order that
// was asked for.
func following(hits []book.Hit, s Sort, at Position) []book.Hit {
	if s != Usual {
		slices.SortFunc(hits, func(a, b book.Hit) int { return s.compare(s.positionOf(a), s.positionOf(b)) })
	}
	if at.Start() {
		return hits
	}
	i, _ := slices.BinarySearchFunc(hits, at, func(h book.Hit, at Position) int {
		return cmp.Or(s.compare(s.positionOf(h), at), -1) // an equal one lies before
	})
	return hits[i:]
}

func (s Sort) positionOf(h book.Hit) Position {
	switch s {
	case Cheapest, Costliest:
		return Position{Key: int64(h.Price), ID: int64(h.ID)}
	case Newest:
		return Position{ID: int64(h.ID)}
	}
	return Position{Key: int64(h.Score), ID: int64(h.ID)}
}

// compare orders positions: the higher key first, the lower one where cheap
// books come first; then the newer.
func (s Sort) compare(a, b Position) int {
	byKey := cmp.Compare(b.Key, a.Key)
	if s == Cheapest {
		byKey = -byKey
	}
	return cmp.Or(byKey, cmp.Compare(b.ID, a.ID))
}

// inOrder loads the books of hits; what was sold meanwhile is left out.
func (c *Catalogue) inOrder(ctx context.Context, hits []book.Hit) ([]BookView, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]book.ID, len(hits))
	place := make(map[book.ID]int, len(hits))
	for i, h := range hits {
		ids[i], place[h.ID] = h.ID, i
	}
	views, err := c.books.Views(ctx, ids...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(views, func(a, b BookView) int { return place[a.ID] - place[b.ID] })
	return onlyForSale(views), nil
}
