package market

import (
	"context"
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter adds what one room stores about a user.
type Exporter func(ctx context.Context, of user.ID, out *Exporting)

// Export returns what the market stores about a user.
type Export struct {
	rooms    []Exporter
	currency money.Currency
}

// NewExport returns the use case.
func NewExport(c money.Currency, rooms ...Exporter) *Export { return &Export{rooms, c} }

// ExportData returns what the market stores about a user as an object for JSON: the currency, what
// each room stores, of lists at most limit entries, newest first, and the names of the lists that have
// more. Amounts and statuses are those of the JSON API. People keep exports, so fields may be added, but
// neither renamed nor removed.
func (e *Export) ExportData(ctx context.Context, of user.ID, limit int) (any, error) {
	out := Exporting{fields: map[string]any{"currency": e.currency.Code()}, truncated: []string{}, currency: e.currency, limit: limit}
	for _, export := range e.rooms {
		export(ctx, of, &out)
	}
	out.Add("truncated", out.truncated, nil)
	return out.fields, out.err
}

// Exporting is an export in progress.
type Exporting struct {
	fields    map[string]any
	truncated []string
	currency  money.Currency
	limit     int
	err       error // the first one
}

// Add adds a field to the export, or fails it.
func (e *Exporting) Add(name string, value any, err error) {
	if e.err == nil {
		e.fields[name], e.err = value, err
	}
}

// Amount writes an amount as the JSON API does.
func (e *Exporting) Amount(a money.Amount) json.Number { return json.Number(e.currency.Format(a)) }

// exportPage is how many entries are read at once.
const exportPage = 100

// ExportList adds a list, which it reads in pages.
func ExportList[In, Out any](
	e *Exporting, name string, list func(before int64, n int) ([]In, error), id func(In) int64, convert func(In) Out,
) {
	if e.err != nil {
		return
	}
	all := []Out{}
	for before := int64(0); ; {
		page, err := list(before, exportPage)
		if err != nil {
			e.err = err
			return
		}
		for _, in := range page {
			if len(all) == e.limit {
				e.truncated = append(e.truncated, name)
				e.Add(name, all, nil)
				return
			}
			all, before = append(all, convert(in)), id(in)
		}
		if len(page) < exportPage {
			e.Add(name, all, nil)
			return
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
