package graph

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// SchemaPath is where the schema is served, in production too: clients are generated from
// it, and introspection is off there.
const SchemaPath = "/graphql/schema.graphqls"

// schemaFiles are the files from which gqlgen generates the executable schema.
//
//go:embed schema/*.graphqls
var schemaFiles embed.FS

// schemaText returns the schema files one after the other, in the order of their names.
func schemaText() ([]byte, error) {
	names, err := fs.Glob(schemaFiles, "schema/*.graphqls")
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	files := make([]string, len(names))
	for i, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("graph: %w", err)
		}
		files[i] = string(text)
	}
	return []byte(strings.Join(files, "\n")), nil
}
