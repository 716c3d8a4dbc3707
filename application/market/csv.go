package market

import (
	"bytes"
	"encoding/csv"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
)

// MaxImport is how many bytes a file may have.
const MaxImport = 10 << 20

// RecordField names a line as a whole among the fields of a RejectedLine.
const RecordField = "line"

// ErrCSV refuses a file. Its Fields say which columns are missing or given twice.
var ErrCSV = fault.New(fault.Invalid, "csv_invalid", "The file must be CSV in UTF-8, and its first line must name the columns.")

var errNotCSV = ErrCSV.WithField("file", "Must be CSV in UTF-8, with the names of the columns on its first line.")

// Records reads the records of a CSV file with a header.
type Records struct {
	reader *csv.Reader
	header []string
}

// NewRecords reads the header, in which case does not count. It accepts commas, semicolons and tabs
// between cells, whichever the header has, because spreadsheets write all three. Columns with
// other names are ignored.
func NewRecords(file []byte, columns map[string]bool) (*Records, error) {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	if !utf8.Valid(file) || bytes.IndexByte(file, 0) >= 0 {
		return nil, errNotCSV
	}
	first, _, _ := bytes.Cut(file, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(file))
	r.FieldsPerRecord = -1
	for _, separator := range ",;\t" {
		if bytes.ContainsRune(first, separator) {
			r.Comma = separator
			break
		}
	}
	header, err := r.Read()
	if err != nil {
		return nil, errNotCSV
	}
	refusal := ErrCSV
	for i, cell := range header {
		header[i] = ""
		for name := range columns {
			if !strings.EqualFold(strings.TrimSpace(cell), name) {
				continue
			}
			if slices.Contains(header[:i], name) {
				refusal = refusal.WithField(name, "The header has this column twice.")
			}
			header[i] = name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if columns[name] && !slices.Contains(header, name) {
			refusal = refusal.WithField(name, "The header lacks this column.")
		}
	}
	if len(refusal.Fields) > 0 {
		return nil, refusal
	}
	return &Records{r, header}, nil
}

var (
	errQuotes = errors.New("The quotes of this line are not closed, or stand within a cell without quotes.") //nolint:staticcheck,revive // a sentence for people

	errManyCells = errors.New("This line has more cells than the header.") //nolint:staticcheck,revive // as above
)

// Next returns the cells of the next record by their columns, and the line on which it begins.
// Any error but io.EOF is about this record alone.
func (r *Records) Next() (line int, fields map[string]string, err error) {
	cells, err := r.reader.Read()
	var broken *csv.ParseError
	switch {
	case errors.As(err, &broken):
		return broken.StartLine, nil, errQuotes
	case err != nil:
		return 0, nil, err
	}
	line, _ = r.reader.FieldPos(0)
	fields = map[string]string{}
	for i, cell := range cells {
		if i >= len(r.header) {
			if strings.TrimSpace(cell) != "" {
				return line, nil, errManyCells
			}
			continue
		}
		if r.header[i] != "" {
			fields[r.header[i]] = strings.TrimSpace(cell)
		}
	}
	return line, fields, nil
}

// RejectedLine is a line of a file that cannot be posted.
type RejectedLine struct {
	Line   int               // of the file, where the record begins; the header is line 1
	Fields map[string]string // why, by the name of the field; RecordField if it is about the line as a whole
}
