package finding

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// fillRequests closes the buyer's own requests that the books match.
func (t *tx) fillRequests(ctx context.Context, all market.Bought) error {
	open, err := t.ListOpenRequests(ctx, all.Buyer)
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
			err := errors.Join(t.UpdateRequest(ctx, open[i]), t.IndexRequest(ctx, open[i].ID, nil))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reopenRequests reopens the requests that a book filled, and matches them again.
func (t *tx) reopenRequests(ctx context.Context, id book.ID) error {
	filled, err := t.ListRequestsFilledBy(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range filled {
		r.Reopen()
		if err := t.UpdateRequest(ctx, r); err != nil {
			return err
		}
		if _, err := t.indexAndMatch(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
