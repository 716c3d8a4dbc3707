package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

const (
	columnGap = "  "
	// narrowest is the smallest width to which a column is reduced so that a table fits.
	narrowest = 12
)

// table writes columns side by side and wraps their cells where the table is too wide.
func (t terminal) table(table ast.Node, width int) []string {
	var rows [][]string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, t.inline(cell))
		}
		rows = append(rows, cells)
	}
	widths := narrow(columnWidths(rows), width)
	lines, wrapped := []string{}, false
	for i, row := range rows {
		written := tableRow(row, widths)
		if wrapped = wrapped || len(written) > 1; wrapped && i > 1 {
			lines = append(lines, "") // otherwise the end of a row would not be visible
		}
		lines = append(lines, written...)
		if i == 0 && len(written) > 0 { // the header
			lines = append(lines, ruleFor(widths))
		}
	}
	return lines
}

func columnWidths(rows [][]string) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// narrow takes from the widest column until the table fits.
func narrow(widths []int, width int) []int {
	for {
		sum := len(columnGap) * (len(widths) - 1)
		for _, w := range widths {
			sum += w
		}
		widest := slices.Max(widths)
		if sum <= width || widest <= narrowest {
			return widths
		}
		widths[slices.Index(widths, widest)]--
	}
}

// tableRow writes one row, whose cells may take several lines.
func tableRow(row []string, widths []int) (lines []string) {
	if strings.Join(row, "") == "" { // as some headers are
		return nil
	}
	for i, cell := range row {
		before := 0
		for _, w := range widths[:i] {
			before += w + len(columnGap)
		}
		for n, part := range wrap(cell, widths[i]) {
			if n == len(lines) {
				lines = append(lines, "")
			}
			if part != "" {
				lines[n] += strings.Repeat(" ", max(0, before-utf8.RuneCountInString(lines[n]))) + part
			}
		}
	}
	return lines
}

func ruleFor(widths []int) string {
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat("-", w)
	}
	return strings.Join(rules, columnGap)
}
