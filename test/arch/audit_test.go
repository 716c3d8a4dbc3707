package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/audit"
)

// Who reads the audit log is shown words, and may choose any action that a use case records.
func TestTheAuditLogHasWordsForEveryActionThatIsRecorded(t *testing.T) {
	known, groups, recorded := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, a := range audit.Actions() {
		group, _, _ := strings.Cut(a.Code, ".")
		known[a.Code], groups[group] = true, true
	}
	root := filepath.Join("..", "..", "application")
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				code, _ := strconv.Unquote(text.Value)
				if group, action, ok := strings.Cut(code, "."); ok && groups[group] && action != "" && strings.Trim(action, "_abcdefghijklmnopqrstuvwxyz") == "" {
					recorded[code] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range slices.Sorted(maps.Keys(recorded)) {
		if !known[code] {
			t.Errorf("%s is recorded, but domain/audit has no words for it", code)
		}
		delete(known, code)
	}
	for code := range known {
		t.Errorf("domain/audit has words for %s, which nothing records", code)
	}
}
