package rulefile

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// patterns is one pattern or a list of them.
type patterns []string

func (p *patterns) UnmarshalYAML(node *yaml.Node) error {
	values := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		values = node.Content
	}
	for _, value := range values {
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" || strings.Contains(value.Value, "\n") {
			return fmt.Errorf("line %d: match is not an event or a list of events", value.Line)
		}
		*p = append(*p, value.Value)
	}
	return nil
}

// headers are names and values, in which ${NAME} stands for an environment variable.
// They are read by hand, because an error of the YAML library would show a value.
type headers map[string]string

// variable is a reference to an environment variable.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

func (h *headers) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: headers is not a map such as {X-Token: x}", node.Line)
	}
	*h = headers{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
			return fmt.Errorf("line %d: the header %.40q has no text as its value", value.Line, name.Value)
		}
		for _, found := range variable.FindAllStringSubmatch(value.Value, -1) {
			if os.Getenv(found[1]) == "" {
				return fmt.Errorf("line %d: the header %.40q needs the environment variable %s, which is not set", value.Line, name.Value, found[1])
			}
		}
		(*h)[name.Value] = variable.ReplaceAllStringFunc(value.Value, func(found string) string { return os.Getenv(found[2 : len(found)-1]) })
	}
	return nil
}
