package rest

import (
	"bufio"
	"regexp"
	"strings"
)

// writeRow writes a line of CSV (RFC 4180). Every cell is in quotes, because some
// spreadsheets split at commas, semicolons and tabs alike, but not within quotes.
// The writer keeps the first error.
func writeRow(w *bufio.Writer, cells []string) {
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

// formula finds the signs, full-width ones too, that begin a formula at the start of
// a cell. A spreadsheet that takes another separator than the comma splits our cells
// in spite of their quotes, so a cell may start after any separator. Spreadsheets skip
// quotes, spaces and invisible characters before the sign.
var formula = regexp.MustCompile(`((?:^|[,;\t\v\f\r\n\x{85}\x{2028}\x{2029}，；])[\s\p{Z}\p{Cc}\p{Cf}"“”]*)([=+\-@|＝＋－＠])`)

// harmless puts an apostrophe before whatever would begin a formula.
func harmless(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }
