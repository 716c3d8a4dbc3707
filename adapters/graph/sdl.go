package graph

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// SchemaPath is where the schema is served, in production too: clients are generated from
// it, and introspection is off there.
const SchemaPath = "/graphql/schema.graphqls"

// schemaFiles are the files from which gqlgen generates the executable schema.
//
//go:embed schema/*.graphqls
var schemaFiles embed.FS

// SDL returns the schema with its descriptions, in the schema definition language: the
// schema files one after the other, in the order of their names.
func SDL() (string, error) {
	names, err := fs.Glob(schemaFiles, "schema/*.graphqls")
	if err != nil {
		return "", fmt.Errorf("graph: %w", err)
	}
	files := make([]string, len(names))
	for i, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("graph: %w", err)
		}
		files[i] = string(text)
	}
	return strings.Join(files, "\n"), nil
}

// NewSchemaHandler returns the handler of SchemaPath. A client that has the current schema
// gets 304.
func NewSchemaHandler() (http.Handler, error) {
	sdl, err := SDL()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(sdl))
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache") // cache, but revalidate each time
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(sdl))
	}), nil
}
