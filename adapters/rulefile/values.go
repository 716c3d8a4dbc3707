package rulefile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/domain/text"
)

// duration is a duration written as 30s or 1m30s.
type duration time.Duration

func (d *duration) UnmarshalYAML(node *yaml.Node) error {
	parsed, err := time.ParseDuration(node.Value)
	if err != nil || parsed <= 0 {
		return fmt.Errorf("line %d: timeout %q is not a duration such as 30s", node.Line, node.Value)
	}
	*d = duration(parsed)
	return nil
}

// number is a whole number from 1 on. The YAML library would cut off a fraction.
type number int

func (n *number) UnmarshalYAML(node *yaml.Node) error {
	parsed, err := strconv.Atoi(node.Value)
	if err != nil || parsed < 1 {
		return fmt.Errorf("line %d: %.40q is not a whole number from 1 on", node.Line, node.Value)
	}
	*n = number(parsed)
	return nil
}

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

// headers are the headers of the sender that a rule forwards, or a map of headers that it adds.
type headers struct {
	forwarded []string // nil for all
	added     added
}

func (h *headers) UnmarshalYAML(node *yaml.Node) error {
	switch {
	case node.Kind == yaml.MappingNode:
		return h.added.UnmarshalYAML(node)
	case node.Kind == yaml.SequenceNode:
		h.forwarded = []string{}
		for _, name := range node.Content {
			if name.Kind != yaml.ScalarNode || name.Tag == "!!null" {
				return fmt.Errorf("line %d: headers is not a list of names such as [X-Token]", name.Line)
			}
			h.forwarded = append(h.forwarded, name.Value)
		}
		return nil
	case node.Value == "sender":
		return nil
	case node.Value == "none":
		h.forwarded = []string{}
		return nil
	}
	return fmt.Errorf("line %d: headers is not sender, none, a list of names such as [X-Token] or a map such as {X-Token: x}", node.Line)
}

// added are names and values, in which ${NAME} stands for an environment variable.
// They are read by hand, because an error of the YAML library would show a value.
type added map[string]string

func (a *added) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: it is not a map of headers such as {X-Token: x}", node.Line)
	}
	if *a == nil {
		*a = added{}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if name.Value == "set" && value.Kind == yaml.MappingNode {
			if err := a.UnmarshalYAML(value); err != nil {
				return err
			}
			continue
		}
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
			return fmt.Errorf("line %d: the header %.40q has no text as its value", value.Line, name.Value)
		}
		expanded, err := expand(value, fmt.Sprintf("the header %.40q", name.Value))
		if err != nil {
			return err
		}
		(*a)[name.Value] = expanded
	}
	return nil
}

// expand replaces each ${NAME} in a value with the environment variable.
func expand(value *yaml.Node, what string) (string, error) {
	expanded, missing := text.Expand(value.Value, os.Getenv)
	if missing != "" {
		return "", fmt.Errorf("line %d: %s needs the environment variable %s, which is not set", value.Line, what, missing)
	}
	return expanded, nil
}

// expanded is a text in which ${NAME} stands for an environment variable.
type expanded string

func (e *expanded) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return fmt.Errorf("line %d: a url or secret is not a text", node.Line)
	}
	value, err := expand(node, "the value")
	*e = expanded(value)
	return err
}
