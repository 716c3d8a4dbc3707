package yamllist

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Decode decodes the entry into the fields of a struct, whose keys are their names with a small
// beginning, or the tag yaml. It knows texts, lists of texts, truth values, numbers and durations,
// blocks of these, and lists of blocks, of which one may stand alone. Unknown and repeated keys
// are mistakes. yaml.Node's own Decode shows values in its errors, and accepts unknown keys.
func (e *Entry) Decode(into any) error {
	target := reflect.ValueOf(into).Elem()
	if e.node.Kind != yaml.MappingNode {
		return mistake(e.node, "it is not a %s, which is a block that begins with its name", e.list.Noun)
	}
	e.values = map[string]*yaml.Node{}
	for i := 0; i+1 < len(e.node.Content); i += 2 {
		e.values[e.node.Content[i].Value] = e.node.Content[i+1]
	}
	return fillStruct("", e.node, target)
}

// fieldsOf returns the indexes of the fields of a struct by their keys.
func fieldsOf(t reflect.Type) (fields map[string][]int, keys []string) {
	fields = map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		key := f.Tag.Get("yaml")
		if key == "" {
			key = small(f.Name)
		}
		if fields[key] == nil {
			keys = append(keys, key)
		}
		fields[key] = f.Index
	}
	return fields, keys
}

// small writes the word at the beginning of a name in small letters: IDHeader is idHeader.
func small(name string) string {
	letters := []rune(name)
	for i := range letters {
		if i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i+1]) || unicode.IsLower(letters[i]) {
			break
		}
		letters[i] = unicode.ToLower(letters[i])
	}
	return string(letters)
}

func fillStruct(where string, node *yaml.Node, into reflect.Value) error {
	fields, keys := fieldsOf(into.Type())
	if node.Kind != yaml.MappingNode {
		return mistake(node, "%s is not a block with %s", where, strings.Join(keys, ", "))
	}
	var seen []string
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := strings.TrimPrefix(where+"."+key.Value, ".")
		index := fields[key.Value]
		switch {
		case index == nil && where == "":
			return mistake(key, "unknown field %.40q; the fields are %s", key.Value, strings.Join(keys, ", "))
		case index == nil:
			return mistake(key, "%s has the unknown field %.40q; its fields are %s", where, key.Value, strings.Join(keys, ", "))
		case slices.Contains(seen, key.Value):
			return mistake(key, "%s is given twice", name)
		}
		seen = append(seen, key.Value)
		if err := fill(name, value, into.FieldByIndex(index)); err != nil {
			return err
		}
	}
	return nil
}

func fill(where string, node *yaml.Node, into reflect.Value) error {
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return fill(where, node, into.Elem())
	case reflect.Struct:
		return fillStruct(where, node, into)
	case reflect.Slice:
		return fillSlice(where, node, into)
	}
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return mistake(node, "%s is not a text", where)
	}
	return fillScalar(where, node, into)
}

func fillSlice(where string, node *yaml.Node, into reflect.Value) error {
	texts := into.Type().Elem().Kind() == reflect.String
	items := node.Content
	if node.Kind != yaml.SequenceNode && !texts {
		items = []*yaml.Node{node}
	}
	all := reflect.MakeSlice(into.Type(), len(items), len(items))
	if texts && (node.Kind != yaml.SequenceNode || slices.ContainsFunc(items, func(n *yaml.Node) bool { return n.Value == "" })) {
		return mistake(node, "%s is not a list of texts such as [a, b]", where)
	}
	for i, item := range items {
		if err := fill(where, item, all.Index(i)); err != nil {
			return err
		}
	}
	into.Set(all)
	return nil
}

func fillScalar(where string, node *yaml.Node, into reflect.Value) error {
	switch target := into.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(node.Value)
		if err != nil {
			return mistake(node, "%s %.40q is not a duration such as 5m", where, node.Value)
		}
		*target = d
	case *bool:
		if node.Value != "true" && node.Value != "false" {
			return mistake(node, "%s is neither true nor false", where)
		}
		*target = node.Value == "true"
	case *int:
		n, err := strconv.Atoi(node.Value)
		if err != nil {
			return mistake(node, "%s is not a number", where)
		}
		*target = n
	default:
		into.SetString(node.Value)
	}
	return nil
}
