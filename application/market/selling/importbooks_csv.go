package selling

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
)

// bookColumns are the columns of a file, named as the fields of a post; those that must be given
// are true.
var bookColumns = map[string]bool{
	"name": true, "edition": true, "course": true, "price": true, "condition": true, "date": true, "Comments": false, "ISBN": false,
	"authors": false,
}

// importLine is a valid line of a file.
type importLine struct {
	line    int
	details book.Details
}

// readBooks reads a file. A line is rejected alone, unless the file has more than
// MaxImportLines.
func readBooks(file []byte, c money.Currency, now time.Time) (lines []importLine, rejected []market.RejectedLine, err error) {
	records, err := market.NewRecords(file, bookColumns)
	if err != nil {
		return nil, nil, err
	}
	for {
		line, fields, err := records.Next()
		switch {
		case errors.Is(err, io.EOF):
			return lines, rejected, nil
		case len(lines)+len(rejected) == MaxImportLines:
			return nil, nil, ErrImportLimit.After(limitPeriod)
		case err != nil:
			rejected = append(rejected, market.RejectedLine{Line: line, Fields: map[string]string{market.RecordField: err.Error()}})
			continue
		}
		details, problems := parseBook(fields, c, now)
		if len(problems) > 0 {
			rejected = append(rejected, market.RejectedLine{Line: line, Fields: problems})
			continue
		}
		lines = append(lines, importLine{line, details})
	}
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
		Comments: fields["Comments"], ISBN: fields["ISBN"], Authors: fields["authors"],
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
