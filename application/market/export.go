package market

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter adds what one room stores about a user.
type Exporter func(ctx context.Context, of user.ID, out *Exporting) error

// Export returns what the market stores about a user.
type Export struct {
	rooms    []Exporter
	currency money.Currency
}

// NewExport returns the use case.
func NewExport(c money.Currency, rooms ...Exporter) *Export { return &Export{rooms, c} }

// ExportData returns what the market stores about a user: an Exported with at most limit
// entries of each list, newest first.
func (e *Export) ExportData(ctx context.Context, of user.ID, limit int) (any, error) {
	out := Exporting{Exported: Exported{Currency: e.currency.Code()}, currency: e.currency, limit: limit}
	for _, export := range e.rooms {
		if err := export(ctx, of, &out); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out.Truncated, func(a, b string) int { return slices.Index(exportedLists, a) - slices.Index(exportedLists, b) })
	return out.Exported, nil
}

// exportedLists are the names of the lists in the order in which Truncated has them.
var exportedLists = []string{
	"books", "requests", "purchases", "sales", "notifications", "reports", "ratings", "meetings", "offers", "offersReceived", "savedSearches",
	"conversations", "messages", "blocked",
}

// Exporting is an export in progress.
type Exporting struct {
	Exported
	currency money.Currency
	limit    int
}

// Amount writes an amount as the JSON API does.
func (e *Exporting) Amount(a money.Amount) json.Number { return json.Number(e.currency.Format(a)) }

// exportPage is how many entries are read at once.
const exportPage = 100

// ExportList reads a list in pages, unless an earlier one has failed.
func ExportList[In, Out any](e *Exporting, name string, failed error, list func(before int64, n int) ([]In, error), id func(In) int64, convert func(In) Out) ([]Out, error) {
	if failed != nil {
		return nil, failed
	}
	all := []Out{}
	for before := int64(0); ; {
		page, err := list(before, exportPage)
		if err != nil {
			return nil, err
		}
		for _, in := range page {
			if len(all) == e.limit {
				e.Truncated = append(e.Truncated, name)
				return all, nil
			}
			all, before = append(all, convert(in)), id(in)
		}
		if len(page) < exportPage {
			return all, nil
		}
	}
}

// OptionalTime is nil for the zero time.
func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
