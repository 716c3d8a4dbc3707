package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// watch notes what the store changes of public responses, if somebody purges their copies.
func watch(s GuardingStore, c *PublicChanges) GuardingStore {
	if c == nil {
		return s
	}
	return watched{s, c}
}

type watched struct {
	GuardingStore
	changes *PublicChanges
}

// UpdateReports may uphold a report, which hides how others rated the person.
func (w watched) UpdateReports(ctx context.Context, all []report.Report) error {
	for _, r := range all {
		if r.Upheld() {
			w.changes.Add(sellerKey(r.About))
		}
	}
	return w.GuardingStore.UpdateReports(ctx, all)
}

func (w watched) DeleteReportsAbout(ctx context.Context, person user.ID) error {
	w.changes.Add(sellerKey(person))
	return w.GuardingStore.DeleteReportsAbout(ctx, person)
}
