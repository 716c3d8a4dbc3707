package guarding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// watch notes what the store changes of public responses, if somebody purges their copies.
func watch(s Store, c *market.PublicChanges) Store {
	if c == nil {
		return s
	}
	return watched{s, c}
}

type watched struct {
	Store
	changes *market.PublicChanges
}

// UpdateReports may uphold a report, which hides how others rated the person.
func (w watched) UpdateReports(ctx context.Context, all []report.Report) error {
	for _, r := range all {
		if r.Upheld() {
			w.changes.Add(market.SellerKey(r.About))
		}
	}
	return w.Store.UpdateReports(ctx, all)
}

func (w watched) DeleteReportsAbout(ctx context.Context, person user.ID, now time.Time) error {
	w.changes.Add(market.SellerKey(person))
	return w.Store.DeleteReportsAbout(ctx, person, now)
}
