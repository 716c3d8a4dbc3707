package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// longest is how many lines a function of a test may have.
const longest = 60

func TestNoFunctionOfATestIsLongerThanAScreen(t *testing.T) {
	functions := 0
	for path, file := range testFiles(t) {
		for _, d := range file.tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions++
			if lines := file.set.Position(f.End()).Line - file.set.Position(f.Pos()).Line + 1; lines > longest {
				t.Errorf("%s: %s has %d lines, more than %d", path, f.Name.Name, lines, longest)
			}
		}
	}
	if functions < 1000 {
		t.Errorf("only %d functions were found", functions)
	}
}

// testFile is a file of Go that only tests use.
type testFile struct {
	set  *token.FileSet
	tree *ast.File
}

// testFiles returns the files of tests of the module by their paths, with slashes.
func testFiles(t *testing.T) map[string]testFile {
	t.Helper()
	all := map[string]testFile{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		path = strings.TrimPrefix(filepath.ToSlash(path), "../../")
		if !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "test/") {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, filepath.Join("../..", path), nil, parser.SkipObjectResolution)
		all[path] = testFile{set, tree}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
