package graph_test

import (
	"os"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// testdata has a copy of the contract. Everything in it must be served with the same
// arguments, types, nullability and defaults; the schema may have more.
func TestTheServedSchemaKeepsTheContract(t *testing.T) {
	text, err := os.ReadFile("testdata/contract.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	contract := gqlparser.MustLoadSchema(&ast.Source{Name: "contract", Input: string(text)})
	served := graphgen.NewExecutableSchema(graphgen.Config{}).Schema()
	compared := 0
	for name, want := range contract.Types {
		if want.BuiltIn {
			continue
		}
		got := served.Types[name]
		if got == nil || got.Kind != want.Kind {
			t.Errorf("%s %s is not served", want.Kind, name)
			continue
		}
		for _, v := range want.EnumValues {
			if got.EnumValues.ForName(v.Name) == nil {
				t.Errorf("%s.%s is not served", name, v.Name)
			}
		}
		for _, f := range want.Fields {
			compareField(t, name, f, got.Fields.ForName(f.Name))
			compared++
		}
	}
	if compared < 86 {
		t.Errorf("only %d fields were compared", compared)
	}
}

func compareField(t *testing.T, parent string, want, got *ast.FieldDefinition) {
	t.Helper()
	if got == nil {
		t.Errorf("%s.%s is not served", parent, want.Name)
		return
	}
	if got.Type.String() != want.Type.String() {
		t.Errorf("%s.%s is %s, want %s", parent, want.Name, got.Type, want.Type)
	}
	for _, a := range want.Arguments {
		b := got.Arguments.ForName(a.Name)
		if b == nil || b.Type.String() != a.Type.String() || b.DefaultValue.String() != a.DefaultValue.String() {
			t.Errorf("%s.%s: the argument %s differs", parent, want.Name, a.Name)
		}
	}
	for _, b := range got.Arguments {
		if want.Arguments.ForName(b.Name) == nil && b.Type.NonNull && b.DefaultValue == nil {
			t.Errorf("%s.%s requires the argument %s", parent, want.Name, b.Name)
		}
	}
}

func TestEveryTypeFieldAndOperationIsDescribed(t *testing.T) {
	schema := graphgen.NewExecutableSchema(graphgen.Config{}).Schema()
	for name, def := range schema.Types {
		if def.BuiltIn {
			continue
		}
		if def.Description == "" && name != "Query" && name != "Mutation" {
			t.Errorf("%s has no description", name)
		}
		for _, f := range def.Fields {
			if (name == "Query" || name == "Mutation") && f.Description == "" && len(f.Name) > 2 && f.Name[:2] != "__" {
				t.Errorf("%s.%s has no description", name, f.Name)
			}
		}
	}
}
