package sourcefile

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/domain/text"
)

// expanded is text with its variables replaced.
func (e *entry) expanded(key string) (string, error) {
	value, err := e.text(key)
	if err != nil {
		return "", err
	}
	expanded, missing := text.Expand(value, os.Getenv)
	if missing != "" {
		return "", mistake(e.keys[key], "%s needs the environment variable %s, which is not set", key, missing)
	}
	return expanded, nil
}

// texts returns a list of texts, nil if there is none.
func (e *entry) texts(key string) (list []string, err error) {
	value := e.keys[key]
	if value == nil {
		return nil, nil
	}
	if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		return nil, mistake(value, "%s is not a list of texts", key)
	}
	for _, one := range value.Content {
		if !isText(one) {
			return nil, mistake(one, "%s is not a list of texts", key)
		}
		list = append(list, one.Value)
	}
	return list, nil
}

func isText(value *yaml.Node) bool {
	return value.Kind == yaml.ScalarNode && value.Tag != "!!null" && value.Value != ""
}

// block is a mapping inside an entry, such as signature: {header: X-Sig}.
type block struct {
	name   string
	node   *yaml.Node
	values map[string]*yaml.Node
}

// readBlock reads a mapping and refuses keys that are not among the fields.
func readBlock(name string, node *yaml.Node, fields ...string) (b block, err error) {
	b = block{name, node, map[string]*yaml.Node{}}
	if node == nil {
		return b, nil
	}
	if node.Kind != yaml.MappingNode {
		return b, mistake(node, "%s is not a block with %s", name, strings.Join(fields, ", "))
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case !slices.Contains(fields, key.Value):
			return b, mistake(key, "%s has the unknown field %.40q; its fields are %s", name, key.Value, strings.Join(fields, ", "))
		case b.values[key.Value] != nil:
			return b, mistake(key, "%s.%s is given twice", name, key.Value)
		}
		b.values[key.Value] = value
	}
	return b, nil
}

// fill reads texts into variables by their keys. An empty one counts as absent.
func (b block) fill(into map[string]*string) error {
	for key, text := range into {
		value := b.values[key]
		switch {
		case value == nil:
		case value.Kind != yaml.ScalarNode || value.Tag == "!!null":
			return mistake(value, "%s.%s is not a text", b.name, key)
		default:
			*text = value.Value
		}
	}
	return nil
}

func (b block) duration(key string, into *time.Duration) (err error) {
	if value := b.values[key]; value != nil {
		*into, err = duration(value, b.name+"."+key, time.Second, 24*time.Hour)
	}
	return err
}

func (b block) number(key string, into *int) (err error) {
	if value := b.values[key]; value != nil {
		if *into, err = strconv.Atoi(value.Value); err != nil {
			return mistake(value, "%s.%s is not a number", b.name, key)
		}
	}
	return nil
}
