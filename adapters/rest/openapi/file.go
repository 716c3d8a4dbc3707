package openapi

// file is the part of the document that requests are checked against. The rest of
// it, such as descriptions, answers and examples, is for readers and generators.
type file struct {
	Paths      map[string]pathItem `yaml:"paths"`
	Components components          `yaml:"components"`
}

type components struct {
	Parameters    map[string]parameter   `yaml:"parameters"`
	RequestBodies map[string]requestBody `yaml:"requestBodies"`
	Schemas       map[string]*Schema     `yaml:"schemas"`
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
	Ref      string                  `yaml:"$ref"`
	Required bool                    `yaml:"required"`
	Content  map[string]mediaContent `yaml:"content"`
}

type mediaContent struct {
	Schema *Schema `yaml:"schema"`
}
