package selling

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/sheet"
)

// bookColumns are the columns of a file, named as the fields of a post; those that must be given
// are true.
var bookColumns = market.Columns{
	"name": true, "edition": true, "course": true, "price": true, "condition": true, "date": true, "Comments": false, "ISBN": false,
	"authors": false,
}

// BookColumns are the fields of a file of books, in the order in which people look for them. The first six must be given.
var BookColumns = []string{"name", "edition", "course", "price", "condition", "date", "ISBN", "authors", "Comments"}

// importLine is a valid line of a file.
type importLine struct {
	line    int
	details book.Details
}

// bookFile is a file of books as it was sent.
type bookFile struct {
	ImportFile
	rows []ImportRow
}

// openBooks finds the columns and rows of a file, which may lack columns. A file with more than MaxImportLines is
// ErrImportLimit.
func openBooks(file []byte) (bookFile, error) {
	records, err := market.OpenRecords(file, bookColumns, pasted.Column)
	if err != nil {
		return bookFile{}, err
	}
	f := bookFile{ImportFile: ImportFile{
		Encoding: string(records.Encoding), Separator: string(records.Separator), Header: records.Header, Fields: records.Fields,
	}}
	for row, ok := records.Sheet.Next(); ok; row, ok = records.Sheet.Next() {
		one := ImportRow{Line: row.Line, Cells: make([]string, len(row.Cells)), Text: row.Text}
		for i, cell := range row.Cells {
			one.Cells[i] = pasted.Unguarded(cell)
		}
		switch {
		case row.Blank():
			f.Blank++
		case !row.Broken && pasted.IsTotal(f.fieldsOf(one)):
			if len(f.Totals) < maxTotals {
				f.Totals = append(f.Totals, row.Line)
			}
		case len(f.rows) == MaxImportLines:
			return bookFile{}, ErrImportLimit.After(limitPeriod)
		default:
			f.rows = append(f.rows, one)
		}
	}
	return f, nil
}

// maxTotals is how many lines of totals are named.
const maxTotals = 20

// Missing returns market.ErrCSV with the columns that the file lacks, or nil.
func (f ImportFile) Missing() error {
	return (&market.Records{Fields: f.Fields}).Missing(bookColumns)
}

func (f ImportFile) fieldsOf(row ImportRow) map[string]string {
	fields := make(map[string]string, len(f.Fields))
	for i, field := range f.Fields {
		if field != "" && i < len(row.Cells) {
			fields[field] = strings.TrimSpace(row.Cells[i])
		}
	}
	return fields
}

// column are the cells of a field in all rows.
func (f ImportFile) column(rows []ImportRow, field string) iter.Seq[string] {
	return func(yield func(string) bool) {
		i := slices.Index(f.Fields, field)
		for _, row := range rows {
			if i >= 0 && i < len(row.Cells) && !yield(row.Cells[i]) {
				return
			}
		}
	}
}

// orderOf returns the order of the dates of a file: the one that they show, or days before months in a file of a country
// with a decimal comma, or the likely one. It is unknown if the dates contradict each other.
func (f ImportFile) orderOf(rows []ImportRow, likely pasted.DateOrder, c money.Currency, now time.Time) pasted.DateOrder {
	order, agreed := datesNear(now).OrderOf(f.column(rows, "date"))
	switch {
	case order != pasted.AnyOrder || !agreed:
		return order
	case f.hasDecimalComma(rows, c):
		return pasted.DayFirst
	}
	return likely
}

// datesNear reads the dates that a book may have.
func datesNear(now time.Time) pasted.Dates {
	from, to := book.DatesNear(now)
	return pasted.Dates{From: from, To: to}
}

// hasDecimalComma reports whether the prices of a file have a comma before the decimals, or may have one: spreadsheets put
// semicolons between cells where they do.
func (f ImportFile) hasDecimalComma(rows []ImportRow, c money.Currency) bool {
	point := false
	for cell := range f.column(rows, "price") {
		if pasted.HasDecimalComma(cell, c) {
			return true
		}
		point = point || pasted.HasDecimalPoint(cell, c)
	}
	return f.Separator == ";" && !point
}

// readerOf reads the rows of a file.
func (i *Imports) readerOf(f ImportFile) rowReader {
	now := i.deps.Clock.Now()
	dates := datesNear(now)
	dates.Order = f.Dates
	return rowReader{f, dates, i.deps.Currency, now}
}

// rowReader reads the rows of one file.
type rowReader struct {
	file     ImportFile
	dates    pasted.Dates
	currency money.Currency
	now      time.Time
}

// readAll reads the rows of a file. A line is rejected alone.
func (r rowReader) readAll(rows []ImportRow) (lines []importLine, rejected []market.RejectedLine) {
	for _, row := range rows {
		details, problems := r.read(row)
		if len(problems) > 0 {
			rejected = append(rejected, market.RejectedLine{Line: row.Line, Fields: problems})
			continue
		}
		lines = append(lines, importLine{row.Line, details})
	}
	return lines, rejected
}

// read returns the details on a line, or what is wrong with each field.
func (r rowReader) read(row ImportRow) (book.Details, map[string]string) {
	if len(row.Cells) == 0 {
		return book.Details{}, map[string]string{market.RecordField: market.ErrQuotes.Error()}
	}
	for i := len(r.file.Fields); i < len(row.Cells); i++ {
		if strings.TrimSpace(row.Cells[i]) != "" {
			return book.Details{}, map[string]string{market.RecordField: market.ErrManyCells.Error()}
		}
	}
	return r.parse(r.file.fieldsOf(row))
}

// parse reads the fields of a book as people and spreadsheets write them.
func (r rowReader) parse(fields map[string]string) (book.Details, map[string]string) {
	problems := map[string]string{}
	for name, required := range bookColumns {
		switch {
		case required && fields[name] == "":
			problems[name] = "This field is missing."
		case pasted.Lost(fields[name]) && r.file.Encoding != string(sheet.UTF8) && r.file.Encoding != string(sheet.UTF16):
			problems[name] = "The spreadsheet has lost characters here. Write them again, or save the file as CSV in UTF-8."
		}
	}
	wrong := func(name, why string) {
		if fields[name] != "" {
			problems[name] = why
		}
	}
	edition, ok := pasted.Edition(fields["edition"])
	if !ok {
		wrong("edition", "Must be a whole number.")
	}
	price, ok := pasted.Amount(fields["price"], r.currency)
	if !ok {
		wrong("price", r.currency.Hint())
	}
	date, err := r.dates.Read(fields["date"])
	if err != nil {
		wrong("date", fault.As(err).Msg)
	}
	isbn := fields["ISBN"]
	if found, ok := pasted.ISBN(isbn); ok {
		isbn = string(found)
	} else if pasted.Shortened(isbn) {
		wrong("ISBN", "The spreadsheet has shortened this number. Format the column as text and enter the ISBN again.")
	}
	condition := fields["condition"]
	if c, ok := pasted.Condition(condition); ok {
		condition = c.String()
	}
	details, err := book.Draft{
		Name: pasted.Line(fields["name"]), Course: pasted.Course(fields["course"]), Edition: edition,
		Price: price, Condition: condition, Date: date, Comments: fields["Comments"], ISBN: isbn,
		Authors: pasted.Line(fields["authors"]),
	}.Check(r.currency, r.now)
	if refusal := fault.As(err); refusal != nil {
		for name, why := range refusal.Fields {
			if problems[name] == "" {
				problems[name] = why
			}
		}
	}
	return details, problems
}
