package webhook

import (
	"errors"
	"strconv"
	"strings"
)

// jsonPath locates a value inside a JSON document: names of members and, for arrays,
// indexes.
type jsonPath []string

// The limits of a path: each step scans the value that it enters.
const (
	maxSteps = 8
	maxPath  = 200
)

var errPath = errors.New("is not a path such as data.object.id or items.0.id, of at most 8 steps")

// parsePath parses a path such as data.object.id, items.0.id or items[0].id.
func parsePath(text string) (jsonPath, error) {
	if len(text) > maxPath || !isPrintable(text) {
		return nil, errPath
	}
	steps := jsonPath(strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(text), "."))
	if len(steps) > maxSteps {
		return nil, errPath
	}
	for _, step := range steps {
		if step == "" {
			return nil, errPath
		}
	}
	return steps, nil
}

// find returns the undecoded value at the path, nil if there is none.
func (p jsonPath) find(data []byte) []byte {
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

// text returns the value at the path if it is a string or a number, a number as it is
// written.
func (p jsonPath) text(data []byte) string {
	value := p.find(data)
	if c := at(value, 0); c == '-' || isDigit(c) {
		return string(value)
	}
	return unquote(value)
}
