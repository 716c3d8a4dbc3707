package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

type digestKey struct {
	to   user.ID
	kind message.Kind
}

type digestTable struct{ table }

func (t digestTable) LockDigests(_ context.Context, kind message.Kind, to []user.ID) (all []message.Digest, err error) {
	for _, id := range slices.Sorted(slices.Values(to)) {
		d := t.digests[digestKey{id, kind}]
		d.To, d.Kind = id, kind
		all = append(all, copyOfDigest(d))
	}
	return all, nil
}

func copyOfDigest(d message.Digest) message.Digest {
	d.Sent, d.Items = slices.Clone(d.Sent), slices.Clone(d.Items)
	return d
}

func (t digestTable) LockDueDigests(_ context.Context, now time.Time, n int) (all []message.Digest, err error) {
	due := pick(t.digests, n, func(a, b message.Digest) int {
		return cmp.Or(a.WakesAt().Compare(b.WakesAt()), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	}, func(d message.Digest) bool { return !d.WakesAt().After(now) })
	for _, d := range due {
		all = append(all, copyOfDigest(d))
	}
	return all, nil
}

func (t digestTable) SaveDigests(_ context.Context, all []message.Digest, now time.Time) error {
	for _, d := range all {
		if k := (digestKey{d.To, d.Kind}); d.Spent(now) {
			delete(t.digests, k)
		} else {
			t.digests[k] = copyOfDigest(d)
		}
	}
	return nil
}

func (t digestTable) DeleteDigestsOf(_ context.Context, id user.ID) error {
	maps.DeleteFunc(t.digests, func(k digestKey, _ message.Digest) bool { return k.to == id })
	return nil
}

func (t digestTable) FilterItems(_ context.Context, kind message.Kind, items []message.Item) ([]message.Item, error) {
	return slices.DeleteFunc(slices.Clone(items), func(i message.Item) bool {
		b, known := t.books[book.ID(i.Book)]
		if kind == message.BookUnlisted {
			return !known || b.Status != book.Unlisted || b.Held
		}
		return !known || b.Status != book.ForSale || !t.sourceHolds(kind, i)
	}), nil
}

// sourceHolds reports whether the open request of an item still matches its book, or whether the
// saved search that found it mails.
func (t digestTable) sourceHolds(kind message.Kind, i message.Item) bool {
	if kind == message.MatchFound {
		r, known := t.requests[book.RequestID(i.Source)]
		return known && r.Status == book.Open && t.matches[matchKey{book.ID(i.Book), book.RequestID(i.Source)}].valid
	}
	s, known := t.searches[savedsearch.ID(i.Source)]
	_, found := t.searchHits[searchHitKey{savedsearch.ID(i.Source), book.ID(i.Book)}]
	return known && s.Mail && found
}
