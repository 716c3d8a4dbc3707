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
	r, pairs, err := w.request(ctx, by, "", want)
	if err != nil {
		return book.Request{}, nil, err
	}
	matches, err := w.show(ctx, r, pairs)
	return r, matches, err
}

// RequestOnce is Request, once for each key of the caller within ReplyLife; again
// it does nothing. A key has at most 255 characters; an empty one is none.
func (w *Wanted) RequestOnce(ctx context.Context, by user.Caller, key string, want book.Want) error {
	_, _, err := w.request(ctx, by, key, want)
	return err
}

func (w *Wanted) request(ctx context.Context, by user.Caller, key string, want book.Want) (book.Request, []book.Pair, error) {
	if err := by.MustBeStudent(); err != nil {
		return book.Request{}, nil, err
	}
	wish, err := want.Check()
	if err != nil {
		return book.Request{}, nil, err
	}
	var r book.Request
	var pairs []book.Pair
	err = w.kit.stepOnce(ctx, by, key, func(ctx context.Context, a *act) error {
		open, err := a.Requests.OpenOf(ctx, by.ID)
		if err != nil {
			return err
		}
		if len(open) >= book.MaxOpenRequests {
			return book.ErrTooManyRequests
		}
		r = book.Request{ID: book.RequestID(a.ids.Next()), Owner: by.ID, Wish: wish, CreatedAt: a.now}
		if err := a.Requests.Add(ctx, r); err != nil {
			return err
		}
		a.notices = append(a.notices, notification.About(notification.RequestRecorded, by.ID, 0, r.Name, a.now))
		pairs, err = a.seek(ctx, r)
		return err
	})
	return r, pairs, err
}

// seek puts an open request into the index and pairs it with what is there.
func (a *act) seek(ctx context.Context, r book.Request) ([]book.Pair, error) {
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

// show gives each pair its book, newest pair first.
func (w *Wanted) show(ctx context.Context, r book.Request, pairs []book.Pair) ([]Match, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	ids := make([]book.ID, len(pairs))
	for i, p := range pairs {
		ids[i] = p.Book
	}
	views, err := w.books.Views(ctx, ids...)
	if err != nil {
		return nil, err
	}
	byID := make(map[book.ID]BookView, len(views))
	for _, v := range onlyForSale(views) {
		byID[v.ID] = v
	}
	var matches []Match
	for _, p := range pairs {
		if v, ok := byID[p.Book]; ok {
			delete(byID, p.Book) // one book may be found in more than one way
			matches = append(matches, Match{ID: p.ID, Book: v, Request: r, Reason: p.Reason, CreatedAt: p.CreatedAt})
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
	return w.kit.step(ctx, func(ctx context.Context, a *act) error {
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
