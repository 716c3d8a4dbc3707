package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// number groups the digits of a number by thousands.
func number(n float64, digits int) string {
	text := strconv.FormatFloat(n, 'f', digits, 64)
	units, fraction, hasFraction := strings.Cut(text, ".")
	for i := len(units) - 3; i > 0 && units[i-1] != '-'; i -= 3 {
		units = units[:i] + "," + units[i:]
	}
	if hasFraction {
		return units + "." + fraction
	}
	return units
}

// busy is the load for each processor from which figures can only be compared within a run.
const busy = 0.5

func (m measurement) isBusy() bool { return m.Load > busy*float64(m.Processors) }

// origin says how and when the figures were measured.
func (m measurement) origin() string {
	if len(m.Commands) == 0 {
		return "not measured yet"
	}
	commands := make([]string, len(m.Commands))
	for i, c := range m.Commands {
		commands[i] = "`" + c + "`"
	}
	text := fmt.Sprintf("%s. Measured on %s on %d processors with Go %s", strings.Join(commands, ", then "),
		m.At.Format("2 January 2006"), m.Processors, strings.TrimPrefix(m.Go, "go"))
	if m.isBusy() {
		return text + fmt.Sprintf(", on a busy machine with a load of %.0f: compare only the rows with each other.", m.Load)
	}
	return text + "."
}

// largest returns the size of the largest campus that was measured.
func largest(all figures) int {
	sizes := measuredCampuses(all)
	if len(sizes) == 0 {
		return 0
	}
	return sizes[len(sizes)-1]
}

// measuredCampuses returns the sizes of the campuses that were measured, the largest last.
func measuredCampuses(all figures) (sizes []int) {
	for name := range all {
		if text, found := strings.CutPrefix(name, "market "); found {
			if n, err := strconv.Atoi(text); err == nil {
				sizes = append(sizes, n)
			}
		}
	}
	slices.Sort(sizes)
	return sizes
}
