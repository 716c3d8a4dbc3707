package market

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// What one step looks at. A book that more requests might match, or that more
// people wait for, is not skipped: the rest becomes a chore that commits with
// the step, and is done in steps of the same size right after it.
const (
	matchBatch = 100
	lookBatch  = 2000 // entries of the index, most of which do not fit
	tellBatch  = 100
)

// guard comes before a book is put on the shelf, see PairStore.Guard.
func (a *act) guard(ctx context.Context, m book.Matcher) error {
	return a.Pairs.Guard(ctx, true, m.Keys())
}

// matchBook pairs a book for sale, of which m is made, with the open requests after a
// place.
func (a *act) matchBook(ctx context.Context, b book.Book, m book.Matcher, after Place) error {
	keys := slices.DeleteFunc(m.Keys(), func(k string) bool { return k < after.Key })
	slices.Sort(keys)
	found, end, err := a.Pairs.Requests(ctx, Look{Keys: keys, Words: m.Signature(), After: after, Entries: lookBatch, Most: matchBatch})
	if err != nil {
		return err
	}
	if err := a.pairAll(ctx, b, m, found); err != nil {
		return err
	}
	if end == (Place{}) {
		return nil
	}
	return a.later(ctx, MatchBook, int64(b.ID), end.Key, int64(end.Request))
}

// pairAll pairs a book with those of some requests that it matches. One that is being
// deleted meanwhile gets no pair, and its owner is told nothing.
func (a *act) pairAll(ctx context.Context, b book.Book, m book.Matcher, found []Filed) error {
	reasons := make(map[book.RequestID]book.Reason)
	for _, f := range found {
		if reason, ok := m.Match(f.Request); ok {
			reasons[f.Request.ID] = reason
		}
	}
	existing, err := a.Requests.LockExisting(ctx, slices.Collect(maps.Keys(reasons))...)
	if err != nil {
		return err
	}
	for _, f := range found {
		if !slices.Contains(existing, f.Request.ID) {
			continue
		}
		if err := a.pair(ctx, b, f.Request, reasons[f.Request.ID]); err != nil {
			return err
		}
	}
	return nil
}

// matchRequest pairs an open request with the books for sale, from one clue on
// and below an id, and returns the matches, one for each book.
func (a *act) matchRequest(ctx context.Context, r book.Request, from book.Reason, before book.ID) ([]Match, error) {
	var matches []Match
	left := matchBatch
	for _, clue := range r.Clues() {
		if from != "" && clue.Reason != from {
			continue
		}
		found, err := a.Pairs.Books(ctx, clue, before, left)
		if err != nil {
			return nil, err
		}
		for _, b := range found {
			reason, ok := book.NewMatcher(b).Match(r)
			if !ok {
				continue
			}
			if err := a.pair(ctx, b, r, reason); err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(matches, func(m Match) bool { return m.Book.ID == b.ID }) { // by an earlier clue
				matches = append(matches, Match{Book: BookView{Book: b}, Request: r, Reason: reason, CreatedAt: r.CreatedAt})
			}
		}
		if left -= len(found); left == 0 {
			return matches, a.later(ctx, MatchRequest, int64(r.ID), string(clue.Reason), int64(found[len(found)-1].ID))
		}
		from, before = "", 0
	}
	return matches, nil
}

// pair records a match and tells the requester, once for each pair.
func (a *act) pair(ctx context.Context, b book.Book, r book.Request, reason book.Reason) error {
	p := book.Pair{ID: a.ids.Next(), Book: b.ID, Request: r.ID, Owner: r.Owner, Reason: reason, CreatedAt: a.now}
	fresh, err := a.Pairs.Put(ctx, p)
	if err != nil || !fresh {
		return err
	}
	a.notify(notification.MatchFound, r.Owner, b)
	a.write(message.MatchFound, r.Owner, map[string]string{
		message.ParamBook: b.Name, message.ParamCourse: b.Course,
		message.ParamPrice: b.Price.String(), message.ParamReason: string(reason),
	})
	return nil
}

// tellGone tells those who wait for a book, above an id, that it is gone.
func (a *act) tellGone(ctx context.Context, b book.Book, after user.ID) error {
	people, err := a.Pairs.Waiting(ctx, b.ID, after, tellBatch)
	if err != nil {
		return err
	}
	for _, id := range people {
		if id != b.Buyer && id != b.Seller {
			a.notify(notification.BookGone, id, b)
		}
	}
	if len(people) < tellBatch {
		return nil
	}
	return a.later(ctx, TellGone, int64(b.ID), "", int64(people[len(people)-1]))
}

// What is looked at to find the rarest word of a name.
const (
	rarestOf  = 8   // words, the longest
	sampleLen = 200 // books
)

// rarest is the word that the fewest books have: under it a request is filed,
// so that as few books as can be look at it in vain. Ids tell the order of
// creation, so of two words that both fill the sample the one whose sample
// reaches further back is the rarer; among equals it is the longest.
func (a *act) rarest(ctx context.Context, words []string) (string, error) {
	words = slices.SortedFunc(slices.Values(words), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x, y))
	})
	words = words[:min(len(words), rarestOf)]
	best, bestCount, bestOldest := "", 0, book.ID(0)
	for _, w := range words {
		count, oldest, err := a.Requests.Frequency(ctx, w, sampleLen)
		if err != nil {
			return "", err
		}
		if best == "" || cmp.Or(cmp.Compare(count, bestCount), cmp.Compare(oldest, bestOldest)) < 0 {
			best, bestCount, bestOldest = w, count, oldest
		}
	}
	return best, nil
}
