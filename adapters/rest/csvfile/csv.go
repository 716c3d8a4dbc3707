// Package csvfile writes CSV that spreadsheets read without running formulas.
package csvfile

import (
	"bufio"
	"regexp"
	"strings"
	"time"
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

// formula matches the characters, including full-width ones, that start a formula at
// the beginning of a cell. A spreadsheet with another separator than the comma splits
// our cells despite their quotes, so a cell can begin after any separator.
// Spreadsheets skip quotes, spaces and invisible characters before the formula.
var formula = regexp.MustCompile(`((?:^|[,;\t\v\f\r\n\x{85}\x{2028}\x{2029}，；])[\s\p{Z}\p{Cc}\p{Cf}"“”]*)([=+\-@|＝＋－＠])`)

// Text is the cell of a text: it inserts an apostrophe before every character that would start a
// formula.
func Text(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }

// ByteOrderMark begins a file: spreadsheets on Windows read one without it in another encoding.
const ByteOrderMark = "\ufeff"

// Time is the cell of a time, empty for none.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
