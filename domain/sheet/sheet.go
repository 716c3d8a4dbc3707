// Package sheet reads the tables that spreadsheets save as CSV: in any of their encodings, with any of their line ends and
// separators, with titles above the header, and with the quotes that people forget.
package sheet

import (
	"errors"
	"strings"
)

// Bounds of a table. What is beyond them is left out, or broken.
const (
	MaxColumns = 256
	maxCell    = 16 << 10 // bytes of a cell in quotes
	headerRows = 10       // among which the header is looked for
)

// The errors of files, in sentences for people.
var (
	ErrEmpty = errors.New("Must be CSV in UTF-8, with the names of the columns on its first line.") //nolint:staticcheck,revive // a sentence

	ErrWorkbook = errors.New("This is a workbook. Open it and save it as CSV.") //nolint:staticcheck,revive // as above

	ErrDocument = errors.New("This is a document, a web page or a picture. Save the table in it as CSV.") //nolint:staticcheck,revive // as above

	ErrEncoding = errors.New("The encoding of this file is unknown. Save it as CSV in UTF-8, or as “Unicode text”.") //nolint:staticcheck,revive // as above
)

// Sheet is a table with a header.
type Sheet struct {
	Encoding   Encoding
	Separator  byte     // between cells
	Header     []string // as written, trimmed
	HeaderLine int      // of the file, from 1 on
	scan       scanner
}

// Row is a row of a table.
type Row struct {
	Line   int // of the file, where the row begins, from 1 on
	Cells  []string
	Broken bool   // a quote of the row is not closed; it has no cells
	Text   string // of a broken row: the line, as far as a cell may reach
}

// Blank reports whether no cell of the row shows anything.
func (r Row) Blank() bool {
	for _, cell := range r.Cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return !r.Broken
}

// Read finds the encoding, the separator and the header of a file. known reports whether a cell is the name of a
// column that is looked for: the row with most of them is the header, and the separator is the one that shows
// most. Without any, the header is the first row with several cells.
func Read(file []byte, known func(cell string) bool) (*Sheet, error) {
	text, encoding, err := decode(file)
	if err != nil {
		return nil, err
	}
	text = lineEnds.Replace(text)
	start, line, given := sepLine(text)
	best := guess{}
	for _, separator := range []byte(",;\t|") {
		if given != 0 && separator != given {
			continue
		}
		g := guessWith(scanner{text: text, at: start, line: line, separator: separator}, known)
		if best.row.Cells == nil || g.better(best) {
			best = g
		}
	}
	if given != 0 && best.row.Cells == nil {
		best = guessWith(scanner{text: text, at: start, line: line, separator: given}, known)
	}
	if best.row.Cells == nil {
		return nil, ErrEmpty
	}
	s := &Sheet{Encoding: encoding, Separator: best.after.separator, HeaderLine: best.row.Line, scan: best.after}
	for _, cell := range best.row.Cells {
		s.Header = append(s.Header, strings.TrimSpace(cell))
	}
	return s, nil
}

// ByteOrderMark begins a file: spreadsheets on Windows read one without it in another encoding.
const ByteOrderMark = "\ufeff"

// Line writes a row with every cell in quotes, because some spreadsheets split others at any separator.
func Line(cells []string, separator string) string {
	quoted := make([]string, len(cells))
	for i, cell := range cells {
		quoted[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return strings.Join(quoted, separator) + "\r\n"
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// sepLine reads the line with which Excel is told the separator, such as "sep=;".
func sepLine(text string) (start, line int, separator byte) {
	first, _, found := strings.Cut(text, "\n")
	bare := strings.Trim(first, `"`)
	if !found || len(bare) != len("sep=;") || !strings.EqualFold(bare[:4], "sep=") {
		return 0, 1, 0
	}
	return len(first) + 1, 2, bare[4]
}

// guess is what a separator shows of a file.
type guess struct {
	row   Row     // the header; no cells: none
	after scanner // behind it
	named int     // known cells of the header
	even  int     // rows with as many cells as the header
}

func (g guess) better(than guess) bool {
	switch {
	case g.named != than.named:
		return g.named > than.named
	case len(g.row.Cells) > 1 != (len(than.row.Cells) > 1):
		return len(g.row.Cells) > 1
	case g.even != than.even:
		return g.even > than.even
	}
	return len(g.row.Cells) > len(than.row.Cells)
}

func guessWith(s scanner, known func(string) bool) guess {
	var g guess
	sizes := map[int]int{}
	for range headerRows {
		row, ok := s.next()
		if !ok {
			break
		}
		if row.Broken || row.Blank() {
			continue
		}
		sizes[len(row.Cells)]++
		named := 0
		for _, cell := range row.Cells {
			if known(cell) {
				named++
			}
		}
		if g.row.Cells == nil || named > g.named || named == 0 && g.named == 0 && len(g.row.Cells) < 2 && len(row.Cells) > 1 {
			g.row, g.named, g.after = row, named, s
		}
	}
	g.even = sizes[len(g.row.Cells)]
	return g
}

// Next returns the next row, blank ones included; false at the end.
func (s *Sheet) Next() (Row, bool) { return s.scan.next() }
