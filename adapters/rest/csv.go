package rest

import (
	"bufio"
	"regexp"
	"strings"
)

// writeRow writes one CSV record (RFC 4180). It quotes every cell, because some
// spreadsheets split unquoted cells at commas, semicolons and tabs. The writer keeps
// the first error.
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

// formula matches the characters, including full-width ones, that start a formula at
// the beginning of a cell. A spreadsheet with another separator than the comma splits
// our cells despite their quotes, so a cell can begin after any separator.
// Spreadsheets skip quotes, spaces and invisible characters before the formula.
var formula = regexp.MustCompile(`((?:^|[,;\t\v\f\r\n\x{85}\x{2028}\x{2029}，；])[\s\p{Z}\p{Cc}\p{Cf}"“”]*)([=+\-@|＝＋－＠])`)

// escapeFormula inserts an apostrophe before every character that would start a
// formula.
func escapeFormula(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }
