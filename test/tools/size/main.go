// Command size prints how large the module is: lines, packages, interfaces, and how often the same
// thing is listed. Generated code does not count.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type sizes struct {
	lines, testLines    int
	assembly            int
	interfaces, methods int
	loops, lists        int
	packages            map[string]*folder
}

type folder struct{ files, lines int }

func main() {
	s := sizes{packages: map[string]*folder{}}
	if err := filepath.WalkDir(".", s.visit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.print()
}

// generated marks files that a generator writes.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func (s *sizes) visit(path string, entry fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "node_modules"):
		return filepath.SkipDir
	case entry.IsDir() || !strings.HasSuffix(path, ".go"):
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil || generated.Match(text) {
		return err
	}
	n := strings.Count(string(text), "\n")
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.lists += listsOfUseCases(f)
	if strings.HasPrefix(path, "test/") || strings.HasSuffix(path, "_test.go") {
		s.testLines += n
		return nil
	}
	s.lines += n
	s.add(filepath.Dir(path), n)
	s.count(f)
	return nil
}

func (s *sizes) add(dir string, n int) {
	if s.packages[dir] == nil {
		s.packages[dir] = &folder{}
	}
	s.packages[dir].files++
	s.packages[dir].lines += n
	if dir == "cmd/assembly" {
		s.assembly += n
	}
}

// count counts the interfaces that have a name, their methods, and the loops that run in the background.
func (s *sizes) count(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if of, ok := n.Type.(*ast.InterfaceType); ok {
				s.interfaces++
				s.methods += methods(of)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" && isNamed(f.X, "b") && len(n.Args) == 2 {
				s.loops++ // the background of cmd/assembly
			}
		}
		return true
	})
}

// rooms are the packages with the use cases of the market and of accounts.
var rooms = []string{
	"market", "selling", "buying", "finding", "guarding", "talking", "auth", "account", "signin", "sessions", "factors", "external", "provider",
}

// listsOfUseCases counts the structs with at least five fields that are use cases of them.
func listsOfUseCases(f *ast.File) (lists int) {
	ast.Inspect(f, func(n ast.Node) bool {
		all, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		fields := 0
		for _, field := range all.Fields.List {
			if of, ok := field.Type.(*ast.StarExpr); ok {
				if t, ok := of.X.(*ast.SelectorExpr); ok && slices.ContainsFunc(rooms, func(room string) bool { return isNamed(t.X, room) }) {
					fields += len(field.Names)
				}
			}
		}
		if fields >= 5 {
			lists++
		}
		return true
	})
	return lists
}

func methods(of *ast.InterfaceType) (n int) {
	for _, m := range of.Methods.List {
		if _, ok := m.Type.(*ast.FuncType); ok {
			n += len(m.Names)
		}
	}
	return n
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func (s *sizes) print() {
	out := bufio.NewWriter(os.Stdout)
	defer func() { _ = out.Flush() }()
	largest, room := "", ""
	for dir, f := range s.packages {
		if largest == "" || f.lines > s.packages[largest].lines {
			largest = dir
		}
		if strings.HasPrefix(dir, "application/") && (room == "" || f.lines > s.packages[room].lines) {
			room = dir
		}
	}
	row := func(what string, format string, values ...any) {
		_, _ = fmt.Fprintf(out, "%-52s "+format+"\n", append([]any{what}, values...)...)
	}
	row("lines outside tests", "%d", s.lines)
	row("lines of tests", "%d", s.testLines)
	row("largest package", "%s: %d lines in %d files", largest, s.packages[largest].lines, s.packages[largest].files)
	row("largest package of application", "%s: %d lines in %d files", room, s.packages[room].lines, s.packages[room].files)
	row("interfaces, and their methods", "%d, %d", s.interfaces, s.methods)
	row("lines of cmd/assembly", "%d", s.assembly)
	row("structs that list use cases", "%d", s.lists)
	row("what cmd/assembly runs in the background", "%d", s.loops)
}
