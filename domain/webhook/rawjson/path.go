package rawjson

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Path locates a value inside a JSON document: names of members and, for arrays,
// indexes.
type Path []string

// The limits of a path: each step scans the value that it enters.
const (
	maxSteps = 8
	maxPath  = 200
)

var errPath = errors.New("is not a path such as data.object.id or items.0.id, of at most 8 steps")

// ParsePath parses a path such as data.object.id, items.0.id or items[0].id.
func ParsePath(text string) (Path, error) {
	if len(text) > maxPath || strings.ContainsFunc(text, isUnprintable) {
		return nil, errPath
	}
	steps := Path(strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(text), "."))
	if len(steps) > maxSteps {
		return nil, errPath
	}
	if slices.Contains(steps, "") {
		return nil, errPath
	}
	return steps, nil
}

// Find returns the undecoded value at the path, nil if there is none.
func (p Path) Find(data []byte) []byte {
	for _, step := range p {
		data = data[skipSpace(data, 0):]
		if at(data, 0) == '[' {
			data = element(data, step)
		} else {
			data = Member(data, step)
		}
		if data == nil {
			return nil
		}
	}
	return data
}

// element returns an element of an array by its index in decimal digits.
func element(array []byte, index string) []byte {
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 || index[0] == '+' {
		return nil
	}
	for value := range Elements(array) {
		if n == 0 {
			return value
		}
		n--
	}
	return nil
}

// Text returns the value at the path if it is a string or a number, a number as it is
// written.
func (p Path) Text(data []byte) string {
	value := p.Find(data)
	if c := at(value, 0); c == '-' || isDigit(c) {
		return string(value)
	}
	return Unquote(value)
}

// isUnprintable reports whether r is not printable ASCII.
func isUnprintable(r rune) bool { return r < ' ' || r > '~' }

// SetIn sets a member, or the first element of an array, and returns the changed value.
func SetIn(v any, path Path, value any) any {
	if len(path) == 0 {
		return value
	}
	if path[0] == "0" {
		list, _ := v.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = SetIn(list[0], path[1:], value)
		return list
	}
	members, ok := v.(map[string]any)
	if !ok {
		members = map[string]any{}
	}
	members[path[0]] = SetIn(members[path[0]], path[1:], value)
	return members
}
