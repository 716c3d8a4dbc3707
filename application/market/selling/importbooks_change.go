package selling

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrColumns refuses an assignment of columns. Its Fields say which are missing, or assigned twice.
var ErrColumns = fault.New(fault.Invalid, "import_columns", "Say for each of these which column has it.")

// Assign says what the columns of the caller's checked file mean, and in which order its dates are; it reads the file
// again. fields are those of BookColumns, one for each column; "" ignores it.
func (i *Imports) Assign(ctx context.Context, by user.Caller, id int64, fields []string, dates pasted.DateOrder) error {
	return i.changeChecked(ctx, by, id, func(ctx context.Context, t *tx, s StoredImport) error {
		if err := s.File.assign(fields); err != nil {
			return err
		}
		rows, err := t.ListImportRows(ctx, by.ID)
		if err != nil {
			return err
		}
		if s.File.Dates = dates; dates == pasted.AnyOrder {
			s.File.Dates = s.File.orderOf(rows, pasted.AnyOrder, i.deps.Currency, t.Now)
		}
		lines, rejected := i.readerOf(s.File).readAll(rows)
		s.Accepted, s.Wrong = len(lines), len(rejected)
		if err := t.ReplaceImportLines(ctx, by.ID, storedLines(lines)); err != nil {
			return err
		}
		return t.UpdateImport(ctx, s)
	})
}

// assign checks and sets what the columns mean.
func (f *ImportFile) assign(fields []string) error {
	if len(fields) != len(f.Header) {
		return ErrImportState
	}
	refusal := ErrColumns
	for i, field := range fields {
		_, known := bookColumns[field]
		switch {
		case field != "" && !known:
			return ErrImportState
		case field != "" && slices.Contains(fields[:i], field):
			refusal = refusal.WithField(field, "Two columns have this.")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bookColumns)) {
		if bookColumns[name] && !slices.Contains(fields, name) {
			refusal = refusal.WithField(name, "No column has this.")
		}
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}
	f.Fields = fields
	return nil
}

// Correct replaces cells of lines with errors in the caller's checked file, by the number of their line and their
// field, and checks these lines again.
func (i *Imports) Correct(ctx context.Context, by user.Caller, id int64, cells map[int]map[string]string) error {
	return i.changeChecked(ctx, by, id, func(ctx context.Context, t *tx, s StoredImport) error {
		rows, err := t.ListImportRows(ctx, by.ID)
		if err != nil {
			return err
		}
		reader := i.readerOf(s.File)
		var changed []ImportRow
		for _, row := range rows {
			if to := cells[row.Line]; len(to) > 0 && len(row.Cells) > 0 {
				if _, problems := reader.read(row); len(problems) > 0 {
					changed = append(changed, s.File.corrected(row, to))
				}
			}
		}
		lines, _ := reader.readAll(changed)
		s.Accepted, s.Wrong = s.Accepted+len(lines), s.Wrong-len(lines)
		if err := t.CorrectImportRows(ctx, by.ID, changed, storedLines(lines)); err != nil {
			return err
		}
		return t.UpdateImport(ctx, s)
	})
}

// corrected returns a row with other cells.
func (f ImportFile) corrected(row ImportRow, cells map[string]string) ImportRow {
	row.Cells = slices.Clone(row.Cells)
	for i, field := range f.Fields {
		to, given := cells[field]
		if field == "" || !given {
			continue
		}
		for len(row.Cells) <= i {
			row.Cells = append(row.Cells, "")
		}
		row.Cells[i] = to
	}
	return row
}

// changeChecked is changeStored for a file that waits for its owner.
func (i *Imports) changeChecked(ctx context.Context, by user.Caller, id int64, fn func(context.Context, *tx, StoredImport) error) error {
	return i.changeStored(ctx, by, id, func(ctx context.Context, t *tx, s StoredImport) error {
		if s.State != ImportChecked {
			return ErrImportState
		}
		return fn(ctx, t, s)
	})
}

// RejectedRow is a row with errors, as it was sent or corrected.
type RejectedRow struct {
	market.RejectedLine
	Cells []string
	Text  string // the whole line, if it has no cells
}

// ListRejected returns the caller's last file with all of its lines with errors. They can be sent without the others, so a
// date that only the others or its owner decide is written as year, month and day.
func (i *Imports) ListRejected(ctx context.Context, by user.Caller) (ImportFile, []RejectedRow, error) {
	s, err := i.last(ctx, by)
	if err != nil {
		return ImportFile{}, nil, err
	}
	rows, err := i.rejectedRows(ctx, s, MaxImportLines)
	if at := slices.Index(s.File.Fields, "date"); at >= 0 {
		dates := i.readerOf(s.File).dates
		for _, row := range rows {
			if at < len(row.Cells) {
				row.Cells[at] = dates.Decided(row.Cells[at])
			}
		}
	}
	return s.File, rows, err
}

// rejectedRows reads the first rows with errors again, so that nothing but the rows themselves is stored.
func (i *Imports) rejectedRows(ctx context.Context, s StoredImport, n int) ([]RejectedRow, error) {
	if s.File.Missing() != nil {
		return nil, nil //nolint:nilerr // without its columns a file has no rows yet
	}
	rows, err := i.reader.ListRejectedRows(ctx, s.Owner, n)
	if err != nil {
		return nil, err
	}
	reader := i.readerOf(s.File)
	out := make([]RejectedRow, 0, len(rows))
	for _, row := range rows {
		_, problems := reader.read(row)
		out = append(out, RejectedRow{market.RejectedLine{Line: row.Line, Fields: problems}, row.Cells, row.Text})
	}
	return out, nil
}
