package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

type watchedGuarding struct {
	GuardingStore
	changes *publicChanges
}

// UpdateReports may uphold a report, which hides how others rated the person.
func (w watchedGuarding) UpdateReports(ctx context.Context, all []report.Report) error {
	for _, r := range all {
		if r.Upheld() {
			w.changes.add(sellerKey(r.About))
		}
	}
	return w.GuardingStore.UpdateReports(ctx, all)
}

func (w watchedGuarding) DeleteReportsAbout(ctx context.Context, person user.ID) error {
	w.changes.add(sellerKey(person))
	return w.GuardingStore.DeleteReportsAbout(ctx, person)
}
