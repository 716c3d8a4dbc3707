package web

import (
	"maps"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
)

// MaxImportForm bounds a form with a file.
const MaxImportForm = market.MaxImport + 1<<20

// ErrImportFile refuses a file that is too large, or missing.
var ErrImportFile = fault.New(fault.Invalid, "import_file", "Choose a CSV file of at most 10 MiB.").WithField("file", "Choose a CSV file of at most 10 MiB.")

// RejectedLine is a line of a file with what is wrong with it, one reason for each field.
type RejectedLine struct {
	Line    int
	Reasons []FieldReason
}

// FieldReason is what is wrong with a field.
type FieldReason struct{ Field, Why string }

// NewRejectedLine sorts the reasons by their fields.
func NewRejectedLine(l market.RejectedLine) RejectedLine {
	out := RejectedLine{Line: l.Line}
	for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
		reason := FieldReason{field, l.Fields[field]}
		if field == market.RecordField {
			reason.Field = ""
		}
		out.Reasons = append(out.Reasons, reason)
	}
	return out
}
