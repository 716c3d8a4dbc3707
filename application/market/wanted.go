package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Wanted is where students say what they look for.
type Wanted struct {
	kit   Kit
	lists WantedReader
	books BookReader
}

// NewWanted makes a list of requests.
func NewWanted(k Kit, lists WantedReader, books BookReader) *Wanted { return &Wanted{k, lists, books} }

// Request records what the caller looks for and pairs it with the books that it
// matches. The matches are the first hundred at most; more follow by
// themselves.
func (w *Wanted) Request(ctx context.Context, by user.Caller, want book.Want) (book.Request, []Match, error) {
	asked, _, err := w.RequestOnce(ctx, by, Once{}, want)
	return asked.Request, asked.Matches, err
}

// Asked is a request and the books that it found at once.
type Asked struct {
	Request book.Request
	Matches []Match
}

// RequestOnce is Request, once for each key of the caller within ReplyLife;
// replayed says that it was done before, and the answer is the request as it was
// made then with those of the books it found that are still to be had. Another
// body under the key is ErrKeyReused. A refusal is not kept.
func (w *Wanted) RequestOnce(ctx context.Context, by user.Caller, o Once, want book.Want) (asked Asked, replayed bool, err error) {
	if err := by.MustBeStudent(); err != nil {
		return Asked{}, false, err
	}
	wish, err := want.Check()
	if err != nil {
		return Asked{}, false, err
	}
	var found []book.ID // by the first of several calls
	replayed, err = w.kit.stepOnce(ctx, by, o, deed{
		do: func(ctx context.Context, a *act) (err error) {
			asked, err = a.request(ctx, by, wish)
			return err
		},
		reply: func() Reply { return Reply{Made: []int64{int64(asked.Request.ID)}, Books: asked.books()} },
		repeat: func(_ context.Context, _ *act, kept *Reply) error {
			asked.Request = book.Request{ID: book.RequestID(kept.made()), Owner: by.ID, Wish: wish, CreatedAt: kept.At}
			found = kept.Books
			return nil
		},
	})
	if err == nil && replayed {
		asked.Matches, err = w.show(ctx, asked.Request, found)
	}
	if err != nil {
		return Asked{}, false, err
	}
	return asked, replayed, nil
}

func (a Asked) books() []book.ID {
	ids := make([]book.ID, len(a.Matches))
	for i, m := range a.Matches {
		ids[i] = m.Book.ID
	}
	return ids
}

// request stores a new request and returns it with the books that it found. All that
// goes into the answer is read within the step: after it nothing may fail.
func (a *act) request(ctx context.Context, by user.Caller, wish book.Wish) (Asked, error) {
	r := book.Request{ID: book.RequestID(a.ids.Next()), Owner: by.ID, Wish: wish, CreatedAt: a.now}
	if err := a.Requests.Add(ctx, r, book.MaxOpenRequests); err != nil {
		return Asked{}, err
	}
	a.notices = append(a.notices, notification.About(notification.RequestRecorded, by.ID, 0, r.Name, a.now))
	matches, err := a.seek(ctx, r)
	if err != nil {
		return Asked{}, err
	}
	return Asked{r, matches}, a.nameSellers(ctx, matches)
}

// nameSellers completes what is shown of books.
func (a *act) nameSellers(ctx context.Context, matches []Match) error {
	ids := make([]user.ID, len(matches))
	for i, m := range matches {
		ids[i] = m.Book.Seller
	}
	people, err := a.People.Find(ctx, ids...)
	for i, id := range ids {
		matches[i].Book.SellerName = people[id].Profile.FirstName
	}
	return err
}

// seek puts an open request into the index and pairs it with what is there.
func (a *act) seek(ctx context.Context, r book.Request) ([]Match, error) {
	word, err := a.rarest(ctx, book.Significant(r.Name))
	if err != nil {
		return nil, err
	}
	if err := a.Pairs.Guard(ctx, false, r.Keys(word)); err != nil {
		return nil, err
	}
	if err := a.Requests.File(ctx, r.ID, r.Filings(word)); err != nil {
		return nil, err
	}
	return a.matchRequest(ctx, r, "", 0)
}

// show makes matches of the books that a request found before, in their order; of those
// that are still for sale and still match.
func (w *Wanted) show(ctx context.Context, r book.Request, found []book.ID) ([]Match, error) {
	if len(found) == 0 {
		return nil, nil
	}
	views, err := w.books.Views(ctx, found...)
	if err != nil {
		return nil, err
	}
	byID := make(map[book.ID]BookView, len(views))
	for _, v := range onlyForSale(views) {
		byID[v.ID] = v
	}
	var matches []Match
	for _, id := range found {
		v, ok := byID[id]
		if !ok {
			continue
		}
		delete(byID, id) // one book may be found in more than one way
		if reason, ok := book.NewMatcher(v.Book).Match(r); ok {
			matches = append(matches, Match{Book: v, Request: r, Reason: reason, CreatedAt: r.CreatedAt})
		}
	}
	return matches, nil
}

// Mine lists the caller's requests, newest first.
func (w *Wanted) Mine(ctx context.Context, by user.Caller, p Page) ([]book.Request, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	requests, err := w.lists.RequestsOf(ctx, by.ID, book.RequestID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	requests, next := cut(requests, n, func(r book.Request) Position { return Position{ID: int64(r.ID)} })
	return requests, next, nil
}

// Delete withdraws a request of the caller's with its matches.
func (w *Wanted) Delete(ctx context.Context, by user.Caller, id book.RequestID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return w.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		return a.Requests.Remove(ctx, by.ID, id)
	})
}

// Matches lists what was found for the caller's requests and is still for sale,
// the latest match first.
func (w *Wanted) Matches(ctx context.Context, by user.Caller, p Page) ([]Match, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	matches, err := w.lists.MatchesOf(ctx, by.ID, at.ID, n+1)
	if err != nil {
		return nil, "", err
	}
	matches, next := cut(matches, n, func(m Match) Position { return Position{ID: m.ID} })
	return matches, next, nil
}
