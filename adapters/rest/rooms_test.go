package rest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/notification"
)

// owners are what begins the names of files with operations: the rooms of the market, and what is none.
func owners(t *testing.T) []string {
	t.Helper()
	folders, err := os.ReadDir("../../application/market")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"account", "docs"}
	for _, f := range folders {
		if f.IsDir() && f.Name() != "rooms" {
			all = append(all, f.Name())
		}
	}
	return all
}

// handlersByFile returns the files that have a method of the Handler, by its name in lower case.
func handlersByFile(t *testing.T) map[string][]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				method := strings.ToLower(f.Name.Name)
				found[method] = append(found[method], name)
			}
		}
	}
	return found
}

func TestEveryOperationIsServedByOneFileOfItsRoom(t *testing.T) {
	s, handlers, rooms := newSiteWithoutUseCases(t), handlersByFile(t), owners(t)
	if len(rooms) < 7 {
		t.Fatalf("the rooms are %v", rooms)
	}
	for _, item := range s.document.Paths.Map() {
		for _, op := range item.Operations() {
			files := handlers[strings.ToLower(op.OperationID)]
			if len(files) != 1 {
				t.Errorf("%s is served by %v, want one file", op.OperationID, files)
				continue
			}
			room, _, _ := strings.Cut(strings.TrimSuffix(files[0], ".go"), "_")
			if !slices.Contains(rooms, room) {
				t.Errorf("%s is served by %s: begin its name with a room of %v", op.OperationID, files[0], rooms)
			}
		}
	}
}

func TestTheDocumentHasEveryKindOfNotifications(t *testing.T) {
	documented := []notification.Kind{}
	for _, kind := range newSiteWithoutUseCases(t).document.Components.Schemas["Notification"].Value.Properties["kind"].Value.Enum {
		documented = append(documented, notification.Kind(fmt.Sprint(kind)))
	}
	slices.Sort(documented)
	if kinds := notification.Kinds(); !slices.Equal(documented, kinds) {
		t.Errorf("the document has the kinds %v, want %v", documented, kinds)
	}
}
