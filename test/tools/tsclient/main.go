// Command tsclient writes the types of the client for TypeScript. Its arguments are the file
// with the operations, the file to write, and the folder of the schema.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "tsclient:", err)
		os.Exit(1)
	}
}

func run(operations, out, folder string) error {
	schema, err := loadSchema(folder)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(operations)
	if err != nil {
		return err
	}
	document, errs := gqlparser.LoadQueryWithRules(schema, string(text), rules.NewDefaultRules())
	if len(errs) > 0 {
		return errs
	}
	w := writer{schema: schema}
	w.line("// Generated from the schema and operations.graphql by `go tool task generate`. Do not edit.")
	w.line("")
	w.line(`import type { Operation } from "./client.js";`)
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		w.definition(schema.Types[name])
	}
	for _, op := range document.Operations {
		w.operation(op, document.Fragments)
	}
	return os.WriteFile(out, w.Bytes(), 0o644)
}

func loadSchema(folder string) (*ast.Schema, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.graphqls"))
	if err != nil {
		return nil, err
	}
	var sources []*ast.Source
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, &ast.Source{Name: name, Input: string(text)})
	}
	return gqlparser.LoadSchema(sources...)
}

type writer struct {
	bytes.Buffer
	schema *ast.Schema
}

func (w *writer) line(format string, args ...any) {
	if len(args) == 0 {
		w.WriteString(format + "\n")
		return
	}
	fmt.Fprintf(w, format+"\n", args...)
}

// comment writes a description.
func (w *writer) comment(indent, text string) {
	if text = strings.ReplaceAll(strings.TrimSpace(text), "*/", "*\\/"); text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		w.line("%s/** %s */", indent, text)
		return
	}
	w.line("%s/**", indent)
	for _, l := range lines {
		w.line("%s", strings.TrimRight(indent+" * "+l, " "))
	}
	w.line("%s */", indent)
}

// definition writes a type of the schema; those of the language itself, Query and Mutation
// have none.
func (w *writer) definition(d *ast.Definition) {
	if d.BuiltIn || d == w.schema.Query || d == w.schema.Mutation {
		return
	}
	w.line("")
	w.comment("", d.Description)
	switch d.Kind {
	case ast.Scalar:
		w.line("export type %s = %s;", typeName(d.Name), scalars[d.Name])
	case ast.Enum:
		var values []string
		for _, v := range d.EnumValues {
			values = append(values, fmt.Sprintf("%q", v.Name))
		}
		w.line("export type %s = %s;", d.Name, strings.Join(values, " | "))
	default:
		w.line("export interface %s {", d.Name)
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			w.comment("  ", f.Description)
			optional := ""
			if d.Kind == ast.InputObject && !f.Type.NonNull {
				optional = "?"
			}
			w.line("  %s%s: %s;", f.Name, optional, reference(f.Type, typeName(f.Type.Name())))
		}
		w.line("}")
	}
}

var scalars = map[string]string{"Time": "string", "JSON": "unknown"}

// typeName is that of a type of the schema in TypeScript.
func typeName(name string) string {
	switch name {
	case "String", "ID":
		return "string"
	case "Int", "Float":
		return "number"
	case "Boolean":
		return "boolean"
	case "JSON": // the browser has an object of this name
		return "Json"
	}
	return name
}

// reference wraps the name of a type in what the schema says about lists and null.
func reference(t *ast.Type, name string) string {
	text := name
	if t.Elem != nil {
		if text = reference(t.Elem, name); strings.Contains(text, " ") {
			text = "(" + text + ")"
		}
		text += "[]"
	}
	if !t.NonNull && text != "unknown" {
		text += " | null"
	}
	return text
}

// operation writes the types of an operation's variables and data, and its document.
func (w *writer) operation(op *ast.OperationDefinition, fragments ast.FragmentDefinitionList) {
	w.line("")
	if len(op.VariableDefinitions) > 0 {
		w.line("export interface %sVariables {", op.Name)
		for _, v := range op.VariableDefinitions {
			optional := ""
			if !v.Type.NonNull || v.DefaultValue != nil {
				optional = "?"
			}
			w.line("  %s%s: %s;", v.Variable, optional, reference(v.Type, typeName(v.Type.Name())))
		}
		w.line("}")
		w.line("")
	} else {
		w.line("export type %sVariables = Record<string, never>;", op.Name)
		w.line("")
	}
	w.line("export interface %sData %s", op.Name, w.selection(op.SelectionSet, ""))
	w.line("")
	w.line("export const %s: Operation<%sData, %sVariables> = {", op.Name, op.Name, op.Name)
	w.line("  name: %q,", op.Name)
	w.line("  document: `%s`,", strings.TrimSpace(printed(op, fragments)))
	w.line("};")
}

// selection returns the type of what is selected, fragments included.
func (w *writer) selection(set ast.SelectionSet, indent string) string {
	var b strings.Builder
	b.WriteString("{\n")
	for _, f := range fields(set) {
		name := typeName(f.Definition.Type.Name())
		if len(f.SelectionSet) > 0 {
			name = w.selection(f.SelectionSet, indent+"  ")
		}
		fmt.Fprintf(&b, "%s  %s: %s;\n", indent, f.Alias, reference(f.Definition.Type, name))
	}
	b.WriteString(indent + "}")
	return b.String()
}

// fields are the fields of a selection and of its fragments.
func fields(set ast.SelectionSet) (all []*ast.Field) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			all = append(all, s)
		case *ast.FragmentSpread:
			all = append(all, fields(s.Definition.SelectionSet)...)
		case *ast.InlineFragment:
			all = append(all, fields(s.SelectionSet)...)
		}
	}
	return all
}

// printed is the document of one operation with the fragments that it uses.
func printed(op *ast.OperationDefinition, fragments ast.FragmentDefinitionList) string {
	used := map[string]bool{}
	spreads(op.SelectionSet, used)
	document := &ast.QueryDocument{Operations: ast.OperationList{op}}
	for _, f := range fragments {
		if used[f.Name] {
			document.Fragments = append(document.Fragments, f)
		}
	}
	var b bytes.Buffer
	formatter.NewFormatter(&b, formatter.WithIndent("  ")).FormatQueryDocument(document)
	return b.String()
}

func spreads(set ast.SelectionSet, used map[string]bool) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			spreads(s.SelectionSet, used)
		case *ast.FragmentSpread:
			used[s.Name] = true
			spreads(s.Definition.SelectionSet, used)
		case *ast.InlineFragment:
			spreads(s.SelectionSet, used)
		}
	}
}
