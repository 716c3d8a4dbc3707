// Package openapi reads our own OpenAPI document and checks requests against
// it, with sentences for people. It knows the keywords that the document uses
// and refuses to load one that it does not enforce.
package openapi

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Document is what the document says, references resolved, in its own order.
type Document struct {
	Title, Description string
	Tags               []Tag
	Operations         []*Operation
	Schemas            []Named
}

// Tag is a group of operations.
type Tag struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

// Operation is one method of one route.
type Operation struct {
	Method       string
	Path         string // as in /api/books/getBook/{id}
	Pattern      string // the same as routers write it: /api/books/getBook/:id
	Alias        string // another pattern for the same, or ""
	ID, Tag      string
	Summary      string
	Description  string
	Who          Who
	Parameters   []Parameter
	Body         *Schema // nil: takes none
	BodyRequired bool
	Form         bool // the body may be a form, too
	Answers      []Answer
}

// Who may call an operation.
type Who string

// The values of x-who.
const (
	Anyone   Who = "anyone"
	Optional Who = "optional" // anyone, but a token must be good if there is one
	SignedIn Who = "signed-in"
	User     Who = "user" // with a confirmed address and a student profile
	Admin    Who = "admin"
	Owner    Who = "owner"
)

// Parameter is a value in the path, the query or a header.
type Parameter struct {
	Name        string  `yaml:"name"`
	In          string  `yaml:"in"`
	Description string  `yaml:"description"`
	Required    bool    `yaml:"required"`
	Schema      *Schema `yaml:"schema"`
}

// Answer is what may come back.
type Answer struct {
	Status      string // "200" or "default"
	Description string
	Bodies      []Body
}

// Body is an answer's content in one media type.
type Body struct {
	MediaType string
	Schema    *Schema
}

// Named is a schema with its name.
type Named struct {
	Name   string
	Schema *Schema
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
