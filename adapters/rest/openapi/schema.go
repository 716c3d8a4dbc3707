package openapi

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Schema says what a value must be.
type Schema struct {
	Ref       string             `yaml:"$ref"`
	Type      string             `yaml:"type"`
	Format    string             `yaml:"format"`
	Nullable  bool               `yaml:"nullable"`
	AnyCase   bool               `yaml:"x-any-case"` // of Enum
	Enum      []string           `yaml:"enum"`
	MinLength int                `yaml:"minLength"` // in characters
	MaxLength int                `yaml:"maxLength"` // in characters; 0: no bound
	Minimum   *float64           `yaml:"minimum"`
	Maximum   *float64           `yaml:"maximum"`
	Required  []string           `yaml:"required"`
	Fields    map[string]*Schema `yaml:"properties"`
	Items     *Schema            `yaml:"items"`
	MaxItems  int                `yaml:"maxItems"` // 0: no bound
	OneOf     []*Schema          `yaml:"oneOf"`
	Values    *Schema            `yaml:"additionalProperties"`

	check Format
}

// keywords are those that Schema enforces, and those that concern only readers and generators.
var keywords = []string{
	"$ref", "type", "format", "description", "nullable", "x-any-case", "enum", "default", "minLength", "maxLength",
	"minimum", "maximum", "required", "properties", "items", "maxItems", "oneOf", "additionalProperties",
	"example", "x-go-type", "x-go-type-import", "x-go-type-skip-optional-pointer",
}

// UnmarshalYAML implements yaml.Unmarshaler. It refuses keywords that this package does not
// enforce.
func (s *Schema) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i].Value; !slices.Contains(keywords, key) {
			return fmt.Errorf("line %d: the keyword %q is not enforced here", n.Line, key)
		}
	}
	type plain Schema
	return n.Decode((*plain)(s))
}

// Needs reports whether an object must have the field.
func (s *Schema) Needs(field string) bool { return slices.Contains(s.Required, field) }
