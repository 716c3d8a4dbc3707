package graph_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

func TestTheSchemaFileIsTheSchemaThatIsServed(t *testing.T) {
	h := newHandlerWithoutUseCases(t, false)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", graph.SchemaPath, nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Rotates the refresh token") || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	read, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: w.Body.String()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := printed(read), printed(graphgen.NewExecutableSchema(graphgen.Config{}).Schema()); got != want {
		t.Errorf("the file differs from the schema that answers: run 'go tool task generate'\n%s", got)
	}
	again := httptest.NewRequest("GET", graph.SchemaPath, nil)
	again.Header.Set("If-None-Match", w.Header().Get("ETag"))
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, again); w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("a client that has the file gets %d and %d bytes", w.Code, w.Body.Len())
	}
}

// printed returns the schema in one form, whatever the order and the layout of its files.
func printed(s *ast.Schema) string {
	var b bytes.Buffer
	formatter.NewFormatter(&b).FormatSchema(s)
	return b.String()
}
