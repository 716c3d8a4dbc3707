package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Requests manages the books that students look for.
type Requests struct {
	deps   unit
	reader Reader
}

// newRequests returns the use cases of requests.
func newRequests(d unit, r Reader) *Requests { return &Requests{d, r} }

// RequestResult is a new request and the books for sale that match it.
type RequestResult struct {
	Request book.Request
	Matches []market.MatchView
}

// Add stores a request and returns it with the first hundred matches at most. A job
// adds the others.
func (r *Requests) Add(ctx context.Context, by user.Caller, draft book.RequestDraft) (book.Request, []market.MatchView, error) {
	result, _, err := r.AddWithKey(ctx, by, market.IdempotencyKey{}, draft)
	return result.Request, result.Matches, err
}

// AddWithKey is Add with an idempotency key. A call that repeats one of the last
// IdempotencyKeyLife returns the request as it was stored then, with those of its matches
// that are still for sale, and replayed set; another body under the key is ErrKeyReused.
// A failed call does not use up the key.
func (r *Requests) AddWithKey(
	ctx context.Context, by user.Caller, k market.IdempotencyKey, draft book.RequestDraft,
) (result RequestResult, replayed bool, err error) {
	if err := by.MustBeStudent(); err != nil {
		return RequestResult{}, false, err
	}
	details, err := draft.Check(r.deps.Currency)
	if err != nil {
		return RequestResult{}, false, err
	}
	var found []book.ID // matches of the stored response
	replayed, err = r.deps.WithIdempotencyKey(ctx, by, k, op{
		Do: func(ctx context.Context, t *tx) (err error) {
			result, err = t.addRequest(ctx, by, details)
			return err
		},
		Response: func() market.StoredResponse {
			return market.StoredResponse{Created: []int64{int64(result.Request.ID)}, Books: result.bookIDs()}
		},
		Replay: func(_ context.Context, _ *tx, stored market.StoredResponse) error {
			result.Request = book.Request{
				ID: book.RequestID(stored.CreatedID()), Owner: by.ID, RequestDetails: details, CreatedAt: stored.At,
			}
			found = stored.Books
			return nil
		},
	})
	if err == nil && replayed {
		result.Matches, err = r.viewMatches(ctx, result.Request, found)
	}
	if err != nil {
		return RequestResult{}, false, err
	}
	return result, replayed, nil
}

func (r RequestResult) bookIDs() []book.ID {
	ids := make([]book.ID, len(r.Matches))
	for i, m := range r.Matches {
		ids[i] = m.Book.ID
	}
	return ids
}

// addRequest stores a new request and returns it with its matches. It reads everything
// for the answer within the transaction: a read that fails after the commit would report
// an error for a request that exists.
func (t *tx) addRequest(ctx context.Context, by user.Caller, d book.RequestDetails) (RequestResult, error) {
	if d.MaxPrice > 0 {
		if err := t.KeepCurrency(ctx); err != nil {
			return RequestResult{}, err
		}
	}
	r := book.Request{ID: book.RequestID(t.IDs.Next()), Owner: by.ID, RequestDetails: d, CreatedAt: t.Now}
	if err := t.AddRequest(ctx, r, book.MaxOpenRequests); err != nil {
		return RequestResult{}, err
	}
	t.Announce(notification.About(notification.RequestRecorded, by.ID, 0, r.Name, t.Now))
	matches, err := t.indexAndMatch(ctx, r)
	if err != nil {
		return RequestResult{}, err
	}
	return RequestResult{r, matches}, t.completeViews(ctx, matches)
}

// completeViews adds the names of the sellers and the photos to the books.
func (t *tx) completeViews(ctx context.Context, matches []market.MatchView) error {
	sellers, books := make([]user.ID, len(matches)), make([]book.ID, len(matches))
	for i, m := range matches {
		sellers[i], books[i] = m.Book.Seller, m.Book.ID
	}
	users, err := t.FindUsers(ctx, sellers...)
	if err != nil {
		return err
	}
	photos, err := t.ListPhotos(ctx, books...)
	for i := range matches {
		matches[i].Book.SellerName, matches[i].Book.Photos = users[sellers[i]].Profile.FirstName, photos[books[i]]
	}
	return err
}

// viewMatches loads the matches of a request that was stored before, in their order.
// It omits books that are no longer for sale or no longer match.
func (r *Requests) viewMatches(ctx context.Context, request book.Request, found []book.ID) ([]market.MatchView, error) {
	if len(found) == 0 {
		return nil, nil
	}
	views, err := r.reader.FindBookViews(ctx, found...)
	if err != nil {
		return nil, err
	}
	byID := make(map[book.ID]market.BookView, len(views))
	for _, v := range market.OnlyForSale(views) {
		byID[v.ID] = v
	}
	var matches []market.MatchView
	for _, id := range found {
		v, ok := byID[id]
		if !ok {
			continue
		}
		delete(byID, id) // found may contain a book twice
		if reason, ok := book.NewMatcher(v.Book).Match(request); ok {
			matches = append(matches, market.MatchView{Book: v, Request: request, Reason: reason, CreatedAt: request.CreatedAt})
		}
	}
	return matches, nil
}

// ListMine lists the caller's requests, newest first.
func (r *Requests) ListMine(ctx context.Context, by user.Caller, p market.Page) ([]book.Request, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	return market.List(p, func(r book.Request) book.RequestID { return r.ID }, func(after book.RequestID, n int) ([]book.Request, error) {
		return r.reader.ListRequestsOf(ctx, by.ID, after, n)
	})
}

// Delete deletes a request of the caller with its matches.
func (r *Requests) Delete(ctx context.Context, by user.Caller, id book.RequestID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return r.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		return t.DeleteRequest(ctx, by.ID, id)
	})
}

// ListMatches lists the matches of the caller's open requests with books that are for
// sale, the latest match first.
func (r *Requests) ListMatches(ctx context.Context, by user.Caller, p market.Page) ([]market.MatchView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	return market.List(p, func(m market.MatchView) int64 { return m.ID }, func(after int64, n int) ([]market.MatchView, error) {
		return r.reader.ListMatchesOf(ctx, by.ID, after, n)
	})
}
