package openapi

import "go.yaml.in/yaml/v3"

// file is the part of the document that requests are checked against. The rest of
// it, such as descriptions, answers and examples, is for readers and generators.
type file struct {
	Paths      ordered[pathItem] `yaml:"paths"`
	Components components        `yaml:"components"`
}

type components struct {
	Parameters    map[string]parameter   `yaml:"parameters"`
	RequestBodies map[string]requestBody `yaml:"requestBodies"`
	Schemas       ordered[*Schema]       `yaml:"schemas"`
}

type pathItem struct {
	Parameters []parameter `yaml:"parameters"`
	Get        *operation  `yaml:"get"`
	Post       *operation  `yaml:"post"`
	Put        *operation  `yaml:"put"`
}

type operation struct {
	ID         string       `yaml:"operationId"`
	Alias      string       `yaml:"x-alias"`
	Who        Who          `yaml:"x-who"`
	Parameters []parameter  `yaml:"parameters"`
	Body       *requestBody `yaml:"requestBody"`
}

type parameter struct {
	Ref       string `yaml:"$ref"`
	Parameter `yaml:",inline"`
}

type requestBody struct {
	Ref      string                `yaml:"$ref"`
	Required bool                  `yaml:"required"`
	Content  ordered[mediaContent] `yaml:"content"`
}

type mediaContent struct {
	Schema *Schema `yaml:"schema"`
}

// ordered is a mapping that keeps the order in which it was written.
type ordered[T any] []entry[T]

type entry[T any] struct {
	key   string
	value T
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (o *ordered[T]) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		var e entry[T]
		e.key = n.Content[i].Value
		if err := n.Content[i+1].Decode(&e.value); err != nil {
			return err
		}
		*o = append(*o, e)
	}
	return nil
}

func (o ordered[T]) get(key string) (v T, ok bool) {
	for _, e := range o {
		if e.key == key {
			return e.value, true
		}
	}
	return v, false
}
