package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// SavedSearches manages the searches that people save in order to be told of new books.
type SavedSearches struct {
	deps     unit
	reader   Reader
	requests *Requests
}

// newSavedSearches returns the use cases of saved searches.
func newSavedSearches(d unit, reader Reader, requests *Requests) *SavedSearches {
	return &SavedSearches{d, reader, requests}
}

// Save saves a search. Its owner is notified of each new book that it finds, and mailed if mail is
// set, at most once a day. A person with savedsearch.Max searches gets savedsearch.ErrTooMany.
func (u *SavedSearches) Save(ctx context.Context, by user.Caller, draft savedsearch.Draft, mail bool) (savedsearch.Search, error) {
	s, _, err := u.SaveWithKey(ctx, by, market.IdempotencyKey{}, draft, mail)
	return s, err
}

// SaveWithKey is Save with an idempotency key: see Listings.PostWithKey.
func (u *SavedSearches) SaveWithKey(
	ctx context.Context, by user.Caller, k market.IdempotencyKey, draft savedsearch.Draft, mail bool,
) (s savedsearch.Search, replayed bool, err error) {
	if err := by.MustBeStudent(); err != nil {
		return s, false, err
	}
	details, err := draft.Check(u.deps.Currency)
	if err != nil {
		return s, false, err
	}
	s = savedsearch.Search{Owner: by.ID, Details: details, Mail: mail}
	replayed, err = u.deps.WithIdempotencyKey(ctx, by, k, op{
		Do: func(ctx context.Context, t *tx) error {
			s.ID, s.CreatedAt = savedsearch.ID(t.IDs.Next()), t.Now
			return t.saveSearch(ctx, s)
		},
		Response: func() market.StoredResponse { return market.StoredResponse{Created: []int64{int64(s.ID)}} },
		Replay: func(_ context.Context, _ *tx, stored market.StoredResponse) error {
			s.ID, s.CreatedAt = savedsearch.ID(stored.CreatedID()), stored.At
			return nil
		},
	})
	if err != nil {
		return savedsearch.Search{}, false, err
	}
	return s, replayed, nil
}

func (t *tx) saveSearch(ctx context.Context, s savedsearch.Search) error {
	if s.MinPrice > 0 || s.MaxPrice > 0 {
		if err := t.KeepCurrency(ctx); err != nil {
			return err
		}
	}
	var words []string
	for _, set := range s.Words() {
		word, err := t.rarestWord(ctx, set)
		if err != nil {
			return err
		}
		words = append(words, word)
	}
	return t.AddSearch(ctx, s, s.Keys(words), savedsearch.Max)
}

// List lists the caller's saved searches, newest first.
func (u *SavedSearches) List(ctx context.Context, by user.Caller, p market.Page) ([]savedsearch.Search, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	return market.List(p, func(s savedsearch.Search) savedsearch.ID { return s.ID }, func(
		after savedsearch.ID, n int,
	) ([]savedsearch.Search, error) {
		return u.reader.ListSearchesOf(ctx, by.ID, after, n)
	})
}

// SetMail switches the mails about a search of the caller on or off.
func (u *SavedSearches) SetMail(ctx context.Context, by user.Caller, id savedsearch.ID, on bool) error {
	return u.change(ctx, by, id, func(ctx context.Context, t *tx, s savedsearch.Search) error {
		if s.Mail == on {
			return nil
		}
		s.SetMail(on)
		return t.UpdateSearch(ctx, s)
	})
}

// Delete deletes a search of the caller.
func (u *SavedSearches) Delete(ctx context.Context, by user.Caller, id savedsearch.ID) error {
	return u.change(ctx, by, id, func(ctx context.Context, t *tx, s savedsearch.Search) error {
		return t.DeleteSearch(ctx, s.ID)
	})
}

// Request requests what a search of the caller looks for. The search stays. One that names no book
// and no course is savedsearch.ErrNoRequest.
func (u *SavedSearches) Request(
	ctx context.Context, by user.Caller, k market.IdempotencyKey, id savedsearch.ID,
) (RequestResult, bool, error) {
	var draft book.RequestDraft
	err := u.change(ctx, by, id, func(_ context.Context, _ *tx, s savedsearch.Search) (err error) {
		draft, err = s.Request()
		return err
	})
	if err != nil {
		return RequestResult{}, false, err
	}
	return u.requests.AddWithKey(ctx, by, k, draft)
}

// change runs fn with a search of the caller, locked. Another's search is
// savedsearch.ErrNotFound, too.
func (u *SavedSearches) change(
	ctx context.Context, by user.Caller, id savedsearch.ID, fn func(context.Context, *tx, savedsearch.Search) error,
) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return u.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		found, err := t.LockSearches(ctx, id)
		if err != nil {
			return err
		}
		if len(found) == 0 || found[0].Owner != by.ID {
			return savedsearch.ErrNotFound
		}
		return fn(ctx, t, found[0])
	})
}

// StopMails ends the mails about one search, for a link in such a mail. A search that is deleted
// sends none.
func (u *SavedSearches) StopMails(ctx context.Context, id savedsearch.ID) error {
	return u.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		found, err := t.LockSearches(ctx, id)
		if err != nil || len(found) == 0 {
			return err
		}
		found[0].SetMail(false)
		return t.UpdateSearch(ctx, found[0])
	})
}
