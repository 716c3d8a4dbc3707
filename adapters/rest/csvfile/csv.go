// Package csvfile writes CSV that spreadsheets read without running formulas.
package csvfile

import (
	"bufio"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/pasted"
)

// WriteRow writes one CSV record (RFC 4180). It quotes every cell, because some
// spreadsheets split unquoted cells at commas, semicolons and tabs. The writer keeps
// the first error.
func WriteRow(w *bufio.Writer, cells []string) {
	for i, cell := range cells {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		_ = w.WriteByte('"')
		_, _ = w.WriteString(strings.ReplaceAll(cell, `"`, `""`))
		_ = w.WriteByte('"')
	}
	_, _ = w.WriteString("\r\n")
}

// Text is the cell of a text, in which nothing is run as a formula or read as a number or a date.
func Text(cell string) string { return pasted.Guarded(cell) }

// ISBN is the cell of an ISBN. Without the hyphen of its printed form, a spreadsheet shows a number such as 9.78E+12.
func ISBN(isbn book.ISBN) string {
	if isbn == "" {
		return ""
	}
	return string(isbn[:3] + "-" + isbn[3:])
}

// ID is the cell of an id for a spreadsheet, which would show 382822963990267818 as 3.82822963990268E+17, and round it.
func ID(id string) string { return "'" + id }

// ByteOrderMark begins a file: spreadsheets on Windows read one without it in another encoding.
const ByteOrderMark = "\ufeff"

// Time is the cell of a time, empty for none.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
