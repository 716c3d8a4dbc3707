package inspector

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// choice is an attempt in the form that compares two.
type choice struct {
	Number        int // among the attempts, from 1 for the oldest
	Label         string
	First, Second bool // it is chosen
}

// comparison shows two attempts beside each other.
type comparison struct {
	Rows   []comparedRow
	Answer []comparedLine
}

type comparedRow struct {
	Name, First, Second string
	Differs             bool
}

// comparedLine is a line of the answers: of both, or with a mark of only one of them.
type comparedLine struct{ Mark, Text string }

// compareAttempts returns the attempts to choose from and, if the query has chosen two, how they
// differ. Without a choice the form proposes the last two.
func compareAttempts(d inbox.Delivery, query url.Values) ([]choice, *comparison) {
	if len(d.Attempts) < 2 {
		return nil, nil
	}
	number := func(name string, proposed int) (n int, chosen bool) {
		n, err := strconv.Atoi(query.Get(name))
		if err != nil || n < 1 || n > len(d.Attempts) {
			return proposed, false
		}
		return n, true
	}
	first, one := number("first", len(d.Attempts)-1)
	second, two := number("second", len(d.Attempts))
	choices := make([]choice, 0, len(d.Attempts))
	for i, a := range d.Attempts {
		label := fmt.Sprintf("%s, %s, attempt %d", a.At.UTC().Format("2006-01-02 15:04:05"), ruleName(a.Rule), a.Number)
		choices = append(choices, choice{i + 1, label, i+1 == first, i+1 == second})
	}
	if !one || !two {
		return choices, nil
	}
	return choices, compare(d.Attempts[first-1], d.Attempts[second-1])
}

func compare(a, b inbox.Attempt) *comparison {
	c := &comparison{}
	row := func(name, first, second string) {
		c.Rows = append(c.Rows, comparedRow{name, first, second, first != second})
	}
	row("At (UTC)", a.At.UTC().Format("2006-01-02 15:04:05.000"), b.At.UTC().Format("2006-01-02 15:04:05.000"))
	row("Rule", ruleName(a.Rule), ruleName(b.Rule))
	row("Attempt", strconv.Itoa(a.Number), strconv.Itoa(b.Number))
	row("Target", a.Target, b.Target)
	row("Status", statusOf(a), statusOf(b))
	row("Error", a.Error, b.Error)
	row("Took", a.Duration.Round(time.Millisecond).String(), b.Duration.Round(time.Millisecond).String())
	c.Answer = compareLines(strings.Split(a.Answer, "\n"), strings.Split(b.Answer, "\n"))
	return c
}

func statusOf(a inbox.Attempt) string {
	if a.Status == 0 {
		return "no answer"
	}
	return strconv.Itoa(a.Status)
}

// compareLines marks what only one of two texts has, by their longest common sequence of lines.
// An answer has at most 1,024 bytes.
func compareLines(a, b []string) (lines []comparedLine) {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, comparedLine{" ", a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, comparedLine{"-", a[i]})
			i++
		default:
			lines = append(lines, comparedLine{"+", b[j]})
			j++
		}
	}
	return lines
}
