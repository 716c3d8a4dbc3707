package market

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/sheet"
)

// MaxImport is how many bytes a file may have.
const MaxImport = 10 << 20

// RecordField names a line as a whole among the fields of a RejectedLine.
const RecordField = "line"

// ErrCSV refuses a file. Its Fields say what is wrong with the file, or which columns are missing or given twice.
var ErrCSV = fault.New(fault.Invalid, "csv_invalid", "The file must be CSV in UTF-8, and its first line must name the columns.")

// Columns are the columns of a file, named as the fields of the API; those that must be given are true.
type Columns map[string]bool

// Records reads the records of a file with a header.
type Records struct {
	*sheet.Sheet
	Fields []string // the field of each column; "": ignored
}

// NewRecords finds the header of a file, in which case does not count. Columns with other names are ignored.
func NewRecords(file []byte, columns Columns) (*Records, error) {
	r, err := OpenRecords(file, columns, func(string) string { return "" })
	if err == nil {
		err = r.Missing(columns)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// OpenRecords is NewRecords for a file that may lack columns. meaning returns the field that another name of a column
// means; such a column counts if no other one has the field.
func OpenRecords(file []byte, columns Columns, meaning func(name string) string) (*Records, error) {
	s, err := sheet.Read(file, func(cell string) bool { return columns.named(cell) != "" || meaning(cell) != "" })
	if err != nil {
		return nil, ErrCSV.WithField("file", err.Error())
	}
	r := &Records{s, make([]string, len(s.Header))}
	refusal := ErrCSV
	for i, name := range s.Header {
		field := columns.named(name)
		if field != "" && slices.Contains(r.Fields[:i], field) {
			refusal = refusal.WithField(field, "The header has this column twice.")
		}
		r.Fields[i] = field
	}
	if len(refusal.Fields) > 0 {
		return nil, refusal
	}
	for i, name := range s.Header {
		if field := meaning(name); r.Fields[i] == "" && !slices.Contains(r.Fields, field) {
			r.Fields[i] = field
		}
	}
	return r, nil
}

// named returns the column with a name; "": none.
func (c Columns) named(name string) string {
	for column := range c {
		if strings.EqualFold(strings.TrimSpace(name), column) {
			return column
		}
	}
	return ""
}

// Missing returns ErrCSV with the columns that must be given and are not.
func (r *Records) Missing(columns Columns) error {
	refusal := ErrCSV
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if columns[name] && !slices.Contains(r.Fields, name) {
			refusal = refusal.WithField(name, "The header lacks this column.")
		}
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}
	return nil
}

// The errors of single lines, in sentences for people.
var (
	ErrQuotes = errors.New("The quotes of this line are not closed, or stand within a cell without quotes.") //nolint:staticcheck,revive // a sentence

	ErrManyCells = errors.New("This line has more cells than the header.") //nolint:staticcheck,revive // as above
)

// Next returns the cells of the next record by their columns, and the line on which it begins. It leaves out blank
// lines. Any error but io.EOF is about this record alone.
func (r *Records) Next() (line int, fields map[string]string, err error) {
	for {
		row, ok := r.Sheet.Next()
		switch {
		case !ok:
			return 0, nil, io.EOF
		case !row.Blank():
			fields, err = r.FieldsOf(row)
			return row.Line, fields, err
		}
	}
}

// FieldsOf returns the cells of a row by their columns; ErrQuotes or ErrManyCells if that cannot be told.
func (r *Records) FieldsOf(row sheet.Row) (map[string]string, error) {
	if row.Broken {
		return nil, ErrQuotes
	}
	fields := map[string]string{}
	for i, cell := range row.Cells {
		cell = strings.TrimSpace(cell)
		if i >= len(r.Fields) {
			if cell != "" {
				return nil, ErrManyCells
			}
			continue
		}
		if r.Fields[i] != "" {
			fields[r.Fields[i]] = cell
		}
	}
	return fields, nil
}

// RejectedLine is a line of a file that cannot be posted.
type RejectedLine struct {
	Line   int               // of the file, where the record begins; the header is line 1
	Fields map[string]string // why, by the name of the field; RecordField if it is about the line as a whole
}
