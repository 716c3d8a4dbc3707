package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const document = "docs/performance.md"

// draw writes the tables into the document below root, and the charts beside its other pictures.
func draw(root string, all figures) error {
	path := filepath.Join(root, document)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	drawn, err := withTables(string(text), all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(drawn), 0o644); err != nil {
		return err
	}
	for name, chart := range charts(all) {
		if err := os.WriteFile(filepath.Join(root, "docs", "images", name), []byte(chart), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// withTables replaces what is between the comments of each table.
func withTables(text string, all figures) (string, error) {
	for _, t := range tables(all) {
		begin, end := "<!-- "+t.name+" -->\n", "<!-- end of "+t.name+" -->"
		before, rest, found := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			return "", errors.New(document + " has no place for the table " + t.name)
		}
		text = before + begin + t.markdown(all) + end + after
	}
	return text, nil
}

// markdown is the table with the commands that print its figures.
func (t table) markdown(all figures) string {
	var b strings.Builder
	var runs []string
	fmt.Fprintf(&b, "\n| | %s |\n|---|%s\n", strings.Join(t.columns, " | "), strings.Repeat("---|", len(t.columns)))
	for _, r := range t.rows {
		used := r.runs()
		for _, name := range used {
			if !slices.Contains(runs, name) {
				runs = append(runs, name)
			}
		}
		fmt.Fprintf(&b, "| %s |", r.label)
		for _, c := range r.cells {
			fmt.Fprintf(&b, " %s |", c.text(all))
		}
		fmt.Fprintf(&b, " %s | %s |\n", r.besideText(all), letters(used, runs))
	}
	b.WriteByte('\n')
	for i, name := range runs {
		fmt.Fprintf(&b, "%c: %s\n\n", 'a'+i, all[name].origin())
	}
	return b.String()
}

// runs are those that a row shows figures of.
func (r row) runs() (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, c := range r.cells {
		add(c.run)
	}
	for _, p := range r.beside {
		if p.cell != nil {
			add(p.cell.run)
		}
	}
	return names
}

func letters(used, runs []string) string {
	var all []string
	for _, name := range used {
		all = append(all, string(rune('a'+slices.Index(runs, name))))
	}
	return strings.Join(all, ", ")
}

func (r row) besideText(all figures) string {
	var b strings.Builder
	for _, p := range r.beside {
		b.WriteString(p.text)
		if p.cell != nil {
			b.WriteString(p.cell.text(all))
		}
	}
	return b.String()
}

// value returns the figure of a cell as it is shown.
func (c cell) value(all figures) (float64, bool) {
	n, found := all[c.run].Figures[c.figure]
	return n * c.format.factor, found
}

func (c cell) text(all figures) string {
	n, found := c.value(all)
	if !found {
		return "not measured"
	}
	if c.wall && all[c.run].isBusy() {
		return "needs a quiet machine"
	}
	return number(n, c.format.digits) + c.format.unit
}
