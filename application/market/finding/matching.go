package finding

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Bounds of the matching in one transaction. The rest becomes a job, which continues
// right after the commit in transactions of the same size.
const (
	matchBatch      = 100
	maxIndexEntries = 2000 // most of which do not match
	notifyBatch     = 100
)

// matchBook matches a book for sale, whose matcher is m, with the open requests after a
// position in their index.
func (t *tx) matchBook(ctx context.Context, b book.Book, m book.Matcher, after IndexCursor) error {
	keys := slices.DeleteFunc(m.Keys(), func(k string) bool { return k < after.Key })
	slices.Sort(keys)
	found, end, err := t.FindRequestsByKeys(ctx, MatchQuery{
		Keys: keys, Words: m.BloomFilter(), After: after, MaxEntries: maxIndexEntries, Limit: matchBatch,
	})
	if err != nil {
		return err
	}
	if err := t.addMatchesOf(ctx, b, m, found); err != nil {
		return err
	}
	if end == (IndexCursor{}) {
		return nil
	}
	return t.Enqueue(ctx, market.MatchBook, int64(b.ID), end.Key, int64(end.Request))
}

// addMatchesOf adds a match for each of the requests that the book matches. It skips
// requests that a concurrent transaction deletes: their owners must get no notification.
func (t *tx) addMatchesOf(ctx context.Context, b book.Book, m book.Matcher, found []IndexedRequest) error {
	matches := make(map[book.RequestID]market.MatchView) // a request may be found by several keys
	for _, f := range found {
		if reason, ok := m.Match(f.Request); ok {
			matches[f.Request.ID] = market.MatchView{Book: market.BookView{Book: b}, Request: f.Request, Reason: reason}
		}
	}
	existing, err := t.LockRequests(ctx, slices.Collect(maps.Keys(matches))...)
	if err != nil {
		return err
	}
	slices.Sort(existing)
	inOrder := make([]market.MatchView, len(existing))
	for i, id := range existing {
		inOrder[i] = matches[id]
	}
	return t.addMatches(ctx, inOrder)
}

// matchRequest matches an open request with the books for sale and returns the matches,
// one for each book. It resumes with the search key for the reason from, if any, and with
// the books below an id.
func (t *tx) matchRequest(ctx context.Context, r book.Request, from book.Reason, before book.ID) ([]market.MatchView, error) {
	var matches []market.MatchView
	left := matchBatch
	for _, key := range r.SearchKeys() {
		if from != "" && key.Reason != from {
			continue
		}
		found, err := t.FindBooksByKey(ctx, key, before, left)
		if err != nil {
			return nil, err
		}
		for _, b := range found {
			reason, ok := book.NewMatcher(b).Match(r)
			if ok && !slices.ContainsFunc(matches, func(m market.MatchView) bool { return m.Book.ID == b.ID }) { // an earlier key found it
				matches = append(
					matches, market.MatchView{Book: market.BookView{Book: b}, Request: r, Reason: reason, CreatedAt: r.CreatedAt},
				)
			}
		}
		if left -= len(found); left == 0 {
			if err := t.Enqueue(ctx, market.MatchRequest, int64(r.ID), string(key.Reason), int64(found[len(found)-1].ID)); err != nil {
				return nil, err
			}
			break
		}
		from, before = "", 0
	}
	return matches, t.addMatches(ctx, matches)
}

// addMatches stores matches, of which no two are of the same book and request. It notifies the
// owners of the requests of new ones.
func (t *tx) addMatches(ctx context.Context, found []market.MatchView) error {
	matches := make([]book.Match, len(found))
	for i, f := range found {
		matches[i] = book.Match{
			ID: t.IDs.Next(), Book: f.Book.ID, Request: f.Request.ID, Owner: f.Request.Owner, Reason: f.Reason, CreatedAt: t.Now,
		}
	}
	isNew, err := t.AddMatches(ctx, matches)
	if err != nil {
		return err
	}
	for i, m := range matches {
		if isNew[i] {
			t.announceMatch(m, found[i].Book.Book)
		}
	}
	return nil
}

func (t *tx) announceMatch(m book.Match, b book.Book) {
	t.PublishEvent(event.MatchRequest(m))
	t.Notify(notification.MatchFound, m.Owner, b)
	t.Gather(message.MatchFound, m.Owner, message.Item{
		Book: int64(b.ID), Source: int64(m.Request), Title: b.Name, Course: b.Course, Price: t.Currency.Format(b.Price),
		Reason: string(m.Reason),
	})
}

// notifyBookGone notifies the users above an id who wait for a book that is no longer for
// sale.
func (t *tx) notifyBookGone(ctx context.Context, b book.Book, after user.ID) error {
	interested, err := t.ListInterestedUsers(ctx, b.ID, after, notifyBatch)
	if err != nil {
		return err
	}
	for _, id := range interested {
		if id != b.Buyer && id != b.Seller {
			t.Notify(notification.BookGone, id, b)
		}
	}
	if len(interested) < notifyBatch {
		return nil
	}
	return t.Enqueue(ctx, market.NotifyBookGone, int64(b.ID), "", int64(interested[len(interested)-1]))
}

// findInterested matches a book for sale with the open requests, and leaves the saved searches to
// a job.
func (t *tx) findInterested(ctx context.Context, l market.Listed) error {
	if err := t.matchBook(ctx, l.Book, l.Matcher, IndexCursor{}); err != nil {
		return err
	}
	return t.Enqueue(ctx, market.MatchSearches, int64(l.ID), "", 0)
}
