package openapi

import "go.yaml.in/yaml/v3"

// file is the document as it is written.
type file struct {
	OpenAPI string `yaml:"openapi"`
	Info    struct {
		Title, Version, Description string
	} `yaml:"info"`
	Servers    []map[string]string   `yaml:"servers"`
	Security   []map[string][]string `yaml:"security"`
	Tags       []Tag                 `yaml:"tags"`
	Paths      ordered[pathItem]     `yaml:"paths"`
	Components components            `yaml:"components"`
}

type components struct {
	SecuritySchemes map[string]map[string]string `yaml:"securitySchemes"`
	Headers         map[string]header            `yaml:"headers"`
	Parameters      map[string]parameter         `yaml:"parameters"`
	RequestBodies   map[string]requestBody       `yaml:"requestBodies"`
	Responses       map[string]response          `yaml:"responses"`
	Schemas         ordered[*Schema]             `yaml:"schemas"`
}

type pathItem struct {
	Parameters []parameter `yaml:"parameters"`
	Get        *operation  `yaml:"get"`
	Post       *operation  `yaml:"post"`
	Put        *operation  `yaml:"put"`
}

type operation struct {
	ID          string                `yaml:"operationId"`
	Tags        []string              `yaml:"tags"`
	Summary     string                `yaml:"summary"`
	Description string                `yaml:"description"`
	Alias       string                `yaml:"x-alias"`
	Who         Who                   `yaml:"x-who"`
	Security    []map[string][]string `yaml:"security"`
	Parameters  []parameter           `yaml:"parameters"`
	Body        *requestBody          `yaml:"requestBody"`
	Responses   ordered[response]     `yaml:"responses"`
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

type response struct {
	Ref         string                `yaml:"$ref"`
	Description string                `yaml:"description"`
	Headers     map[string]header     `yaml:"headers"`
	Content     ordered[mediaContent] `yaml:"content"`
}

type mediaContent struct {
	Schema *Schema `yaml:"schema"`
}

type header struct {
	Ref         string  `yaml:"$ref"`
	Description string  `yaml:"description"`
	Schema      *Schema `yaml:"schema"`
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
