package pairs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// byOperation and byPage return who may, by the table.
func byOperation() map[string]who {
	all := map[string]who{}
	for _, a := range actions {
		for _, op := range a.ops {
			all[op] = a.who
		}
	}
	return all
}

func byPage() map[string]who {
	all := map[string]who{}
	for _, a := range actions {
		for _, page := range a.pages {
			all[page] = a.who
		}
	}
	return all
}

func TestTheAPILetsThoseChangeTheMarketWhomTheTableNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../adapters/rest/openapi.yaml")
	must(t, err)
	var document struct {
		Paths map[string]map[string]yaml.Node
	}
	must(t, yaml.Unmarshal(text, &document))
	found := map[string]who{}
	for path, methods := range document.Paths {
		for method, node := range methods {
			if method == "get" || method == "parameters" || strings.HasPrefix(path, "/api/auth/") {
				continue
			}
			var op struct {
				ID  string `yaml:"operationId"`
				Who who    `yaml:"x-who"`
			}
			must(t, node.Decode(&op))
			found[op.ID] = op.Who
		}
	}
	same(t, "the document of the API", found, byOperation())
}

// guards are who may use a page, by the function that guards it.
var guards = map[string]who{"forStudents": student, "forStudentUploads": student, "forAdmins": admin, "forAdminUploads": admin, "forOwners": owner}

func TestThePagesLetThoseChangeTheMarketWhomTheTableNames(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../adapters/web/*.go")
	must(t, err)
	paths := map[string]ast.Expr{}
	var routes *ast.FuncDecl
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		must(t, err)
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				noteConstants(d, paths)
			case *ast.FuncDecl:
				if d.Name.Name == "marketRoutes" {
					routes = d
				}
			}
		}
	}
	found := map[string]who{}
	ast.Inspect(routes, func(n ast.Node) bool {
		if path, guard, ok := posted(n, paths); ok && guards[guard] != "" {
			found[path] = guards[guard]
		}
		return true
	})
	same(t, "the routes of the pages", found, byPage())
}

func noteConstants(d *ast.GenDecl, into map[string]ast.Expr) {
	for _, s := range d.Specs {
		if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST && len(v.Names) == 1 && len(v.Values) == 1 {
			into[v.Names[0].Name] = v.Values[0]
		}
	}
}

// posted reads post(path, p.guard(p.handler)).
func posted(n ast.Node, constants map[string]ast.Expr) (path, guard string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return "", "", false
	}
	name, isName := call.Fun.(*ast.Ident)
	guarded, isCall := call.Args[1].(*ast.CallExpr)
	if !isName || name.Name != "post" || !isCall {
		return "", "", false
	}
	by, ok := guarded.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	return text(call.Args[0], constants), by.Sel.Name, true
}

// text evaluates a constant text.
func text(e ast.Expr, constants map[string]ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.Ident:
		return text(constants[e.Name], constants)
	case *ast.BinaryExpr:
		return text(e.X, constants) + text(e.Y, constants)
	}
	return ""
}

func same(t *testing.T, where string, found, table map[string]who) {
	t.Helper()
	if len(found) < 20 {
		t.Fatalf("%s has only %v", where, found)
	}
	both := maps.Clone(found)
	maps.Copy(both, table)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if found[name] != table[name] {
			t.Errorf("%s: %s has %q, the table says %q; add or mend its row in table_test.go", name, where, found[name], table[name])
		}
	}
}
