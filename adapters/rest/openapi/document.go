// Package openapi reads our own OpenAPI document and checks requests against it. Its error
// messages are sentences for people. It knows the keywords that the document uses and refuses
// to load any other, which it would not enforce.
package openapi

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Document is the document with all references resolved.
type Document struct {
	Operations []*Operation // sorted by path
	Schemas    map[string]*Schema
}

// Operation is one method of one route.
type Operation struct {
	Method       string
	Path         string // as in /api/books/getBook/{id}
	Pattern      string // the same in the syntax of routers: /api/books/getBook/:id
	Alias        string // another pattern of the same operation, or ""
	ID           string
	Who          Who
	Parameters   []Parameter
	Body         *Schema // nil: takes none
	BodyRequired bool
	Form         bool // the body may be a form, too
	CSV          bool // the body is a CSV file, which its handler reads and checks; Body is nil
	Multipart    bool // the body is a form with files, which its handler reads and checks; Body is nil
}

// Who may call an operation.
type Who string

// The values of x-who.
const (
	Anyone   Who = "anyone"
	Optional Who = "optional" // anyone, but a token must be valid if there is one
	SignedIn Who = "signed-in"
	User     Who = "user" // with a confirmed address and a student profile
	Admin    Who = "admin"
	Owner    Who = "owner"
)

// Parameter is a value in the path, the query or a header.
type Parameter struct {
	Name     string  `yaml:"name"`
	In       string  `yaml:"in"`
	Required bool    `yaml:"required"`
	Schema   *Schema `yaml:"schema"`
}

// Load reads the document. formats are the checks behind its format keywords.
func Load(text []byte, formats Formats) (*Document, error) {
	var f file
	if err := yaml.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	l := loader{components: f.Components, formats: formats, done: map[*Schema]bool{}}
	d := l.document(f)
	if l.err != nil {
		return nil, fmt.Errorf("openapi: %w", l.err)
	}
	return d, nil
}
