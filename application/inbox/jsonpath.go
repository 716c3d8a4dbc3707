package inbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSONPath locates a value inside a JSON document.
type JSONPath []PathStep

// PathStep is a member's name, or an element's index if the name is "".
type PathStep struct {
	Name  string
	Index int
}

const maxSteps = 16

// ParseJSONPath parses names and indexes, as in repository.id or $.commits[0].id.
// The path of an empty text is nil.
func ParseJSONPath(text string) (JSONPath, error) {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "$"), ".")
	var p JSONPath
	for rest != "" {
		var s PathStep
		var ok bool
		if rest[0] == '[' {
			s, rest, ok = cutIndex(rest)
		} else {
			s, rest, ok = cutName(rest)
		}
		if !ok || len(p) == maxSteps {
			return nil, RuleError("orderBy", "%q is not a path such as repository.id or commits[0].id", text)
		}
		p = append(p, s)
	}
	if text != "" && p == nil {
		return nil, RuleError("orderBy", "%q names no value", text)
	}
	return p, nil
}

// cutName cuts a name off the front, with the dot after it.
func cutName(text string) (s PathStep, rest string, ok bool) {
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		return PathStep{Name: text}, "", true
	}
	rest = text[end:]
	if rest[0] == '.' {
		rest = rest[1:]
	}
	return PathStep{Name: text[:end]}, rest, end > 0 && (text[end] == '[' || rest != "")
}

// cutIndex cuts [n] off the front, with the dot after it.
func cutIndex(text string) (s PathStep, rest string, ok bool) {
	inside, rest, ok := strings.Cut(text[1:], "]")
	n, err := strconv.Atoi(inside)
	if !ok || err != nil || n < 0 {
		return PathStep{}, "", false
	}
	if rest == "." || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return PathStep{}, "", false
	}
	return PathStep{Index: n}, strings.TrimPrefix(rest, "."), true
}

// ValueIn returns the JSON text of the value at the path, "" if there is none, if it
// is null and for a nil path. A text that is too long for an index or not UTF-8 is
// replaced by its hash.
func (p JSONPath) ValueIn(document json.RawMessage) string {
	if len(p) == 0 {
		return ""
	}
	for _, s := range p {
		document = s.valueIn(document)
	}
	text := string(bytes.TrimSpace(document))
	if text == "null" {
		return ""
	}
	if len(text) > 128 || !utf8.ValidString(text) {
		sum := sha256.Sum256([]byte(text))
		return base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return text
}
