// Enginetable reads what `go test -json` prints and writes a table of the suites that ran on
// Postgres, or on an engine that speaks its protocol: how many of their tests failed, and the
// first error. It exits with 1 if a test failed or none ran.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

func main() {
	t := table{}
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "enginetable:", err)
		os.Exit(1)
	}
	tests, failed := t.write(os.Stdout)
	fmt.Printf("\n%d of %d tests failed.\n", failed, tests)
	if tests == 0 || failed > 0 {
		os.Exit(1)
	}
}

// line is one line of `go test -json`; see go doc test2json.
type line struct{ Action, Package, Test, Output string }

// test is a test's result.
type test struct {
	pkg, name              string
	passed, failed, parent bool
	output                 []string
}

// table has the tests by package and name.
type table map[[2]string]*test

func (t table) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("not the output of go test -json: %w", err)
		}
		if slices.Contains(strings.Split(l.Test, "/"), engine) {
			t.add(l)
		}
	}
	return lines.Err()
}

// engine is the name of the tests on the engine.
const engine = "postgres"

func (t table) add(l line) {
	one := t.test(l.Package, l.Test)
	t.test(l.Package, path.Dir(l.Test)).parent = true
	switch l.Action {
	case "pass":
		one.passed = true
	case "fail":
		one.failed = true
	case "output":
		one.output = append(one.output, l.Output)
	}
}

func (t table) test(pkg, name string) *test {
	key := [2]string{pkg, name}
	if t[key] == nil {
		t[key] = &test{pkg: pkg, name: name}
	}
	return t[key]
}

// suite returns the name of the test, with that of the suite below the engine if it has one.
func (one *test) suite() string {
	parts := strings.Split(one.name, "/")
	name := path.Base(one.pkg) + " " + parts[0]
	if i := slices.Index(parts, engine); len(parts) > i+2 {
		name += ": " + strings.ReplaceAll(parts[i+1], "_", " ")
	}
	return name
}

// row counts the tests of a suite.
type row struct {
	tests, failed int
	first         string
}

func (t table) write(w io.Writer) (tests, failed int) {
	rows := t.rows()
	_, _ = fmt.Fprintln(w, "| suite | tests | failed | first error |\n|---|---|---|---|")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		tests, failed = tests+r.tests, failed+r.failed
		_, _ = fmt.Fprintf(w, "| %s | %d | %d | %s |\n", name, r.tests, r.failed, r.first)
	}
	return tests, failed
}

// rows counts the tests without tests below them.
func (t table) rows() map[string]row {
	rows := map[string]row{}
	for _, one := range t {
		if one.parent || !one.passed && !one.failed {
			continue
		}
		r := rows[one.suite()]
		r.tests++
		if one.failed {
			r.failed++
			r.first = cmp.Or(r.first, one.firstError())
		}
		rows[one.suite()] = r
	}
	return rows
}

// located is a line of a test's log, which begins with the file and line.
var located = regexp.MustCompile(`^\s+\w+\.go:\d+: (.+)`)

const longest = 160 // bytes of an error in the table

func (one *test) firstError() string {
	for _, l := range one.output {
		if m := located.FindStringSubmatch(l); m != nil {
			text := strings.ReplaceAll(m[1], "|", `\|`)
			return strings.ToValidUTF8(text[:min(len(text), longest)], "")
		}
	}
	return "no message"
}
