package market

import (
	"context"
	"errors"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// joinFinding adds what those who look for books have to do with other rooms.
func joinFinding(h *Hooks) {
	h.BookListed.Add(of((*Tx).findInterested))
	h.BookRevised.Add(func(ctx context.Context, t *Tx, id book.ID) error { return t.Finding.InvalidateMatches(ctx, id) })
	h.BookLeft.Add(func(ctx context.Context, t *Tx, b book.Book) error { return t.notifyBookGone(ctx, b, 0) })
	h.BookDelivered.Add(of((*Tx).forgetHits))
	h.BooksBought.Add(of((*Tx).fillRequests))
	h.OrderEnded.Add(of((*Tx).reopenRequests))
	h.UserErased.Add(of((*Tx).eraseSeeker))
	h.Does(MatchRequest, Work(of((*Tx).runRequestJob)))
	for _, kind := range []job.Kind{MatchBook, NotifyBookGone, MatchSearches, ForgetHits} {
		h.Does(kind, OnBook(func(t *Tx) *Tx { return t }, (*Tx).runBookJob))
	}
}

// eraseSeeker deletes what a deleted user looked for.
func (t *Tx) eraseSeeker(ctx context.Context, id user.ID) error {
	if err := t.Finding.DeleteRequestsOf(ctx, id); err != nil {
		return err
	}
	if err := t.Finding.DeleteSearchesOf(ctx, id); err != nil {
		return err
	}
	return t.Finding.DeleteChoicesOf(ctx, id)
}

// runRequestJob does the next part of a job on a request. It drops the job if the request is gone
// or is not open any more.
func (t *Tx) runRequestJob(ctx context.Context, j Job) error {
	r, err := t.Finding.FindRequest(ctx, book.RequestID(j.Subject))
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
func (t *Tx) runBookJob(ctx context.Context, b book.Book, j Job) error {
	switch {
	case j.Kind == MatchBook && b.Status == book.ForSale:
		return t.matchBook(ctx, b, book.NewMatcher(b), IndexCursor{Key: j.Key, Request: book.RequestID(j.After)})
	case j.Kind == NotifyBookGone && b.Status != book.ForSale:
		return t.notifyBookGone(ctx, b, user.ID(j.After))
	case j.Kind == MatchSearches && b.Status == book.ForSale:
		return t.matchSearches(ctx, b, SearchCursor{Key: j.Key, Search: savedsearch.ID(j.After)})
	case j.Kind == ForgetHits:
		return t.forgetHits(ctx, b.ID)
	}
	return nil
}
