package market

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
)

// MaxImport is how many bytes a file may have.
const MaxImport = 10 << 20

// RecordField names a line as a whole among the fields of a RejectedLine.
const RecordField = "line"

// ErrCSV refuses a file. Its Fields say which columns are missing or given twice.
var ErrCSV = fault.New(fault.Invalid, "csv_invalid", "The file must be CSV in UTF-8, and its first line must name the columns.")

var errNotCSV = ErrCSV.WithField("file", "Must be CSV in UTF-8, with the names of the columns on its first line.")

// bookColumns are the columns of a file, named as the fields of a post; those that must be given
// are true.
var bookColumns = map[string]bool{
	"name": true, "edition": true, "course": true, "price": true, "condition": true, "date": true, "Comments": false, "ISBN": false,
}

// importLine is a valid line of a file.
type importLine struct {
	line    int
	details book.Details
}

// readBooks reads a file. A line is rejected alone, unless the file has more than
// MaxImportLines.
func readBooks(file []byte, c money.Currency, now time.Time) (lines []importLine, rejected []RejectedLine, err error) {
	records, err := newRecords(file, bookColumns)
	if err != nil {
		return nil, nil, err
	}
	for {
		line, fields, err := records.next()
		switch {
		case errors.Is(err, io.EOF):
			return lines, rejected, nil
		case len(lines)+len(rejected) == MaxImportLines:
			return nil, nil, ErrImportLimit.After(limitPeriod)
		case err != nil:
			rejected = append(rejected, RejectedLine{line, map[string]string{RecordField: err.Error()}})
			continue
		}
		details, problems := parseBook(fields, c, now)
		if len(problems) > 0 {
			rejected = append(rejected, RejectedLine{line, problems})
			continue
		}
		lines = append(lines, importLine{line, details})
	}
}

// records reads the records of a CSV file with a header.
type records struct {
	reader *csv.Reader
	header []string
}

// newRecords reads the header, in which case does not count. It accepts commas, semicolons and tabs
// between cells, whichever the header has, because spreadsheets write all three. Columns with
// other names are ignored.
func newRecords(file []byte, columns map[string]bool) (*records, error) {
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
	return &records{r, header}, nil
}

var (
	errQuotes    = errors.New("The quotes of this line are not closed, or stand within a cell without quotes.") //nolint:staticcheck,revive // a sentence for people
	errManyCells = errors.New("This line has more cells than the header.")                                      //nolint:staticcheck,revive // as above
)

// next returns the cells of the next record by their columns, and the line on which it begins.
// Any error but io.EOF is about this record alone.
func (r *records) next() (line int, fields map[string]string, err error) {
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

// parseBook returns the details on a line, or what is wrong with each field.
func parseBook(fields map[string]string, c money.Currency, now time.Time) (book.Details, map[string]string) {
	problems := map[string]string{}
	for name, required := range bookColumns {
		if required && fields[name] == "" {
			problems[name] = "This field is missing."
		}
	}
	wrong := func(name, why string) {
		if fields[name] != "" {
			problems[name] = why
		}
	}
	edition, err := strconv.Atoi(fields["edition"])
	if err != nil {
		wrong("edition", "Must be a whole number.")
	}
	price, err := c.Parse(fields["price"])
	if err != nil {
		wrong("price", c.Hint())
	}
	date, ok := parseDate(fields["date"])
	if !ok {
		wrong("date", "Must be a date such as 2026-09-01.")
	}
	details, err := book.Draft{
		Name: fields["name"], Course: fields["course"], Edition: edition, Price: price, Condition: fields["condition"], Date: date,
		Comments: fields["Comments"], ISBN: fields["ISBN"],
	}.Check(c, now)
	if refusal := fault.As(err); refusal != nil {
		for name, why := range refusal.Fields {
			if problems[name] == "" {
				problems[name] = why
			}
		}
	}
	return details, problems
}

// parseDate parses RFC 3339, a day, or Unix milliseconds.
func parseDate(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return time.UnixMilli(n), err == nil
}
