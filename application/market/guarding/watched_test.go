package guarding

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/writes"
)

// Only decisions about reports count, and reports are deleted when they count no longer.
func TestEachWriteIsKnownToChangePublicResponsesOrNot(t *testing.T) {
	writes.Check[Store](t, "DeleteReportsAbout", "UpdateReports", // which are watched
		"AddReport", "DeleteResolvedReports")
}

// noReports stores nothing.
type noReports struct{ Store }

func (noReports) DeleteReportsAbout(context.Context, user.ID) error    { return nil }
func (noReports) UpdateReports(context.Context, []report.Report) error { return nil }

func TestEachWriteThatChangesPublicResponsesPurges(t *testing.T) {
	for name, write := range map[string]func(Store) error{
		"DeleteReportsAbout": func(s Store) error { return s.DeleteReportsAbout(t.Context(), 7) },
		"UpdateReports": func(s Store) error {
			return s.UpdateReports(t.Context(), []report.Report{{About: 7, Action: report.Warn, ResolvedAt: time.Unix(1, 0)}})
		},
	} {
		changes := market.NewPublicChanges()
		if err := write(watch(noReports{}, changes)); err != nil || len(changes.List()) == 0 {
			t.Errorf("%s purges nothing: %v", name, err)
		}
	}
}
