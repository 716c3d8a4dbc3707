package arch_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// row finds the files of tests that a row of a table names: `folder/a`, `b`.
var row = regexp.MustCompile("(?m)^\\|[^|]*\\| ((?:`[^|]*`(?:, )?)+) \\|")

func TestTheTableOfTheDeepRunNamesEveryTestThatIsLeftToIt(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	_, section, _ := strings.Cut(string(text), "\n## The deep run\n")
	for _, found := range row.FindAllStringSubmatch(section, -1) {
		folder := ""
		for name := range strings.SplitSeq(found[1], ", ") {
			name = strings.Trim(name, "`")
			if at := strings.LastIndexByte(name, '/'); at >= 0 {
				folder = name[:at+1]
			} else {
				name = folder + name
			}
			listed[name] = true
		}
	}
	for path, file := range testFiles(t) {
		name := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), "_test.go")
		if deeper := asksForADeepRun(file.tree) && !strings.HasPrefix(path, "test/deep/"); deeper != listed[name] {
			t.Errorf("%s leaves something to the deep run: %t; the table of CONTRIBUTING.md names %s: %t", path, deeper, name, listed[name])
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("the table of CONTRIBUTING.md names %s, which is no file of tests", name)
	}
}

// asksForADeepRun reports whether a file calls deep.Only, Else or On.
func asksForADeepRun(file *ast.File) (asks bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			of, ok := s.X.(*ast.Ident)
			asks = asks || ok && of.Name == "deep" && slices.Contains([]string{"Only", "Else", "On"}, s.Sel.Name)
		}
		return !asks
	})
	return asks
}
