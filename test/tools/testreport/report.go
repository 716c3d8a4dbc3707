package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/test/deep"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of what did not compile
	Elapsed                       float64
}

// name is that of a test; without a test it is that of its package's own output.
type name struct{ pkg, test string }

// report turns events into text for people.
type report struct {
	out     io.Writer
	verbose bool
	began   time.Time
	fetched atomic.Int64 // nanoseconds from the beginning to the last download

	output map[name]*strings.Builder // of what has not ended
	parent map[name]bool             // tests with subtests

	packages, cached, failedPackages int
	tests, subtests, failed          int
	deeper, longer, skipped          int
	took                             map[name]float64
}

func newReport(out io.Writer, verbose bool) *report {
	return &report{
		out: out, verbose: verbose, began: time.Now(),
		output: map[name]*strings.Builder{}, parent: map[name]bool{}, took: map[name]float64{},
	}
}

// line takes one line of go test. What is not JSON is printed as it is.
func (r *report) line(text []byte) {
	var e event
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &e) != nil {
		r.print(string(text) + "\n")
		return
	}
	n := name{e.Package, e.Test}
	switch e.Action {
	case "run":
		if at := strings.LastIndexByte(e.Test, '/'); at > 0 {
			r.parent[name{e.Package, e.Test[:at]}] = true
		}
		r.output[n] = &strings.Builder{}
	case "output":
		r.keep(n, e.Output)
	case "build-output":
		r.print(e.Output)
	case "pass", "fail", "skip":
		r.end(n, e)
	}
}

func (r *report) print(text string) { _, _ = io.WriteString(r.out, text) }

// keep stores what a test printed until its end, without the lines about its beginning and pauses.
func (r *report) keep(n name, text string) {
	if strings.HasPrefix(text, "=== ") && !r.verbose {
		return
	}
	if r.verbose && n.test != "" {
		r.print(text)
		return
	}
	if r.output[n] == nil {
		r.output[n] = &strings.Builder{}
	}
	r.output[n].WriteString(text)
}

func (r *report) end(n name, e event) {
	printed := ""
	if kept := r.output[n]; kept != nil {
		printed = kept.String()
	}
	delete(r.output, n)
	if n.test == "" {
		r.endPackage(n, e, printed)
		return
	}
	r.count(n, e, printed)
	if e.Action == "fail" && !r.verbose {
		r.print("\n" + inModule(n.pkg) + ":\n" + printed)
	}
}

// count adds a test that has ended.
func (r *report) count(n name, e event, printed string) {
	switch {
	case e.Action == "skip" && strings.Contains(printed, deep.Mark):
		r.deeper++
		return
	case e.Action == "skip" && strings.Contains(printed, deep.ShortMark):
		r.longer++
		return
	case e.Action == "skip":
		r.skipped++
		return
	case e.Action == "fail":
		r.failed++
	}
	if strings.Contains(n.test, "/") {
		r.subtests++
	} else {
		r.tests++
	}
	r.took[n] = e.Elapsed
}

// endPackage prints the line of a package. If it failed, the tests that had not ended are printed too:
// one of them has the text of a panic or of a time limit.
func (r *report) endPackage(n name, e event, printed string) {
	if e.Action == "skip" { // it has no tests
		return
	}
	r.packages++
	if e.Action == "pass" {
		lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
		last := lines[len(lines)-1]
		if strings.Contains(last, "(cached)") {
			r.cached++
		}
		r.print(last + "\n")
		return
	}
	r.failedPackages++
	for _, open := range r.unended(n.pkg) {
		r.print("\n" + inModule(n.pkg) + ", in " + open.test + ":\n" + r.output[open].String())
		delete(r.output, open)
	}
	r.print("\n" + printed)
}

// unended are the tests of a package that printed something and did not end.
func (r *report) unended(pkg string) (open []name) {
	for n, text := range r.output {
		if n.pkg == pkg && n.test != "" && text.Len() > 0 {
			open = append(open, n)
		}
	}
	slices.SortFunc(open, func(a, b name) int { return strings.Compare(a.test, b.test) })
	return open
}

// shown is how many of the slowest tests the summary names.
const shown = 5

// Write takes what the go command itself prints. It prints a line for each module that it downloads.
func (r *report) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("go: downloading ")) {
		r.fetched.Store(int64(time.Since(r.began)))
	}
	return os.Stderr.Write(text)
}

// summary says what ran. used is the processor time of the compiler, the tests and the programs that they
// started and waited for.
func (r *report) summary(used time.Duration) {
	fetched := time.Duration(r.fetched.Load())
	r.print(fmt.Sprintf("\n%d tests with %d subtests ran in %d packages (%d of them cached) in %s, and took %.0f s of processor time.",
		r.tests, r.subtests, r.packages, r.cached, (time.Since(r.began) - fetched).Round(time.Second), used.Seconds()))
	if fetched > 0 {
		r.print(fmt.Sprintf(" Before that, modules were downloaded for %s.", fetched.Round(time.Second)))
	}
	if r.deeper > 0 {
		r.print(fmt.Sprintf(" %d are left to `go tool task test:deep`.", r.deeper))
	}
	if r.longer > 0 {
		r.print(fmt.Sprintf(" %d are left to `go tool task test`.", r.longer))
	}
	if r.skipped > 0 {
		r.print(fmt.Sprintf(" %d do not apply here; -v says why.", r.skipped))
	}
	var slowest []string
	for _, n := range r.slowest() {
		slowest = append(slowest, fmt.Sprintf("  %6.1f s  %s %s", r.took[n], inModule(n.pkg), n.test))
	}
	if len(slowest) > 0 {
		r.print(" The slowest:\n" + strings.Join(slowest, "\n"))
	}
	r.print("\n")
	if r.failed+r.failedPackages > 0 {
		r.print(fmt.Sprintf("FAILED: %d tests and subtests, in %d packages.\n", r.failed, r.failedPackages))
	}
}

// slowest returns the tests that took longest, without those that only consist of others.
func (r *report) slowest() (names []name) {
	for n := range r.took {
		if !r.parent[n] {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b name) int {
		switch x, y := r.took[a], r.took[b]; {
		case x != y && x > y:
			return -1
		case x != y:
			return 1
		}
		return strings.Compare(a.test, b.test)
	})
	return names[:min(shown, len(names))]
}

// inModule shortens the path of a package to its folder.
func inModule(pkg string) string { return strings.TrimPrefix(pkg, "github.com/octavo-books/octavo/") }
