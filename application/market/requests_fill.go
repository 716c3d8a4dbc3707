package market

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
)

// fillRequests closes the buyer's own requests that the books match.
func (t *Tx) fillRequests(ctx context.Context, all Bought) error {
	open, err := t.Finding.ListOpenRequests(ctx, all.Buyer)
	if err != nil || len(open) == 0 {
		return err
	}
	for _, b := range all.Books {
		m := book.NewMatcher(b)
		for i := range open {
			if _, ok := m.Match(open[i]); !ok {
				continue
			}
			open[i].Fill(b.ID)
			err := errors.Join(t.Finding.UpdateRequest(ctx, open[i]), t.Finding.IndexRequest(ctx, open[i].ID, nil))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reopenRequests reopens the requests that a book filled, and matches them again.
func (t *Tx) reopenRequests(ctx context.Context, id book.ID) error {
	filled, err := t.Finding.ListRequestsFilledBy(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range filled {
		r.Reopen()
		if err := t.Finding.UpdateRequest(ctx, r); err != nil {
			return err
		}
		if _, err := t.indexAndMatch(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
