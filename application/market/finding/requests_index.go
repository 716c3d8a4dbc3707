package finding

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// Bounds of the search for the rarest word of a name.
const (
	maxCountedWords = 8     // the longest
	countedBooks    = 2_000 // the newest
)

// rarestWord returns the word that the fewest of the newest books have. A request is indexed
// under it, so that as few books as possible read the request in vain. Ties go to the longest word.
func (t *tx) rarestWord(ctx context.Context, words []string) (string, error) {
	if len(words) == 0 {
		return "", nil
	}
	words = slices.SortedFunc(slices.Values(words), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x, y))
	})
	words = words[:min(len(words), maxCountedWords)]
	counts, err := t.CountBooksWith(ctx, words, countedBooks)
	if err != nil {
		return "", err
	}
	return words[slices.Index(counts, slices.Min(counts))], nil
}

// addRequests stores several requests, and returns them with the number of their matches. It locks
// the keys of all at once: transactions that lock keys in several steps could deadlock.
func (t *tx) addRequests(ctx context.Context, owner user.ID, all []book.RequestDetails) (made []book.Request, matches int, err error) {
	var keys []string
	words := make([]string, len(all))
	for i, d := range all {
		r := book.Request{ID: book.RequestID(t.IDs.Next()), Owner: owner, RequestDetails: d, CreatedAt: t.Now}
		if err := t.AddRequest(ctx, r, book.MaxOpenRequests); err != nil {
			return nil, 0, err
		}
		if words[i], err = t.rarestWord(ctx, book.Significant(r.Name)); err != nil {
			return nil, 0, err
		}
		made, keys = append(made, r), append(keys, r.Keys(words[i])...)
	}
	if err := t.Stores.LockKeys(ctx, false, keys); err != nil {
		return nil, 0, err
	}
	for i, r := range made {
		if err := t.IndexRequest(ctx, r.ID, r.IndexEntries(words[i])); err != nil {
			return nil, 0, err
		}
		found, err := t.matchRequest(ctx, r, "", 0)
		if err != nil {
			return nil, 0, err
		}
		matches += len(found)
	}
	return made, matches, nil
}

// indexAndMatch adds an open request to the index and matches it with the books for
// sale.
func (t *tx) indexAndMatch(ctx context.Context, r book.Request) ([]market.MatchView, error) {
	word, err := t.rarestWord(ctx, book.Significant(r.Name))
	if err != nil {
		return nil, err
	}
	if err := t.Stores.LockKeys(ctx, false, r.Keys(word)); err != nil {
		return nil, err
	}
	if err := t.IndexRequest(ctx, r.ID, r.IndexEntries(word)); err != nil {
		return nil, err
	}
	return t.matchRequest(ctx, r, "", 0)
}
