package finding

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// runRequestJob does the next part of a job on a request. It drops the job if the request is gone
// or is not open any more.
func (t *tx) runRequestJob(ctx context.Context, j market.Job) error {
	r, err := t.FindRequest(ctx, book.RequestID(j.Subject))
	switch {
	case errors.Is(err, book.ErrRequestNotFound):
		return nil
	case err != nil || r.Status != book.Open:
		return err
	}
	_, err = t.matchRequest(ctx, r, book.Reason(j.Key), book.ID(j.After))
	return err
}

// runBookJob does the next part of a job on a book. It drops a job whose book has changed so that
// nothing is left to do.
func (t *tx) runBookJob(ctx context.Context, b book.Book, j market.Job) error {
	switch {
	case j.Kind == market.MatchBook && b.Status == book.ForSale:
		return t.matchBook(ctx, b, book.NewMatcher(b), IndexCursor{Key: j.Key, Request: book.RequestID(j.After)})
	case j.Kind == market.NotifyBookGone && b.Status != book.ForSale:
		return t.notifyBookGone(ctx, b, user.ID(j.After))
	case j.Kind == market.MatchSearches && b.Status == book.ForSale:
		return t.matchSearches(ctx, b, SearchCursor{Key: j.Key, Search: savedsearch.ID(j.After)})
	case j.Kind == market.ForgetHits:
		return t.forgetHits(ctx, b.ID)
	}
	return nil
}

// forgetMatches makes the matches of a book invalid.
func (t *tx) forgetMatches(ctx context.Context, id book.ID) error {
	return t.InvalidateMatches(ctx, id)
}

// tellBookGone notifies those who wait for a book that is for sale no longer.
func (t *tx) tellBookGone(ctx context.Context, b book.Book) error {
	return t.notifyBookGone(ctx, b, 0)
}
