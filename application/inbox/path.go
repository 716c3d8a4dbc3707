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

// path leads to a value inside a JSON document.
type path []step

// step is a member's name, or an element's index where the name is "".
type step struct {
	name  string
	index int
}

const maxSteps = 16

// parsePath reads names and indexes as in repository.id, $.commits[0].id; the
// empty text is no path.
func parsePath(text string) (path, error) {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "$"), ".")
	var p path
	for rest != "" {
		var s step
		var ok bool
		if rest[0] == '[' {
			s, rest, ok = cutIndex(rest)
		} else {
			s, rest, ok = cutName(rest)
		}
		if !ok || len(p) == maxSteps {
			return nil, ruleError("orderBy", "%q is not a path such as repository.id or commits[0].id", text)
		}
		p = append(p, s)
	}
	if text != "" && p == nil {
		return nil, ruleError("orderBy", "%q leads nowhere", text)
	}
	return p, nil
}

// cutName takes a name off the front, with the point behind it.
func cutName(text string) (s step, rest string, ok bool) {
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		return step{name: text}, "", true
	}
	rest = text[end:]
	if rest[0] == '.' {
		rest = rest[1:]
	}
	return step{name: text[:end]}, rest, end > 0 && (text[end] == '[' || rest != "")
}

// cutIndex takes [n] off the front, with the point behind it.
func cutIndex(text string) (s step, rest string, ok bool) {
	inside, rest, ok := strings.Cut(text[1:], "]")
	n, err := strconv.Atoi(inside)
	if !ok || err != nil || n < 0 {
		return step{}, "", false
	}
	if rest == "." || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return step{}, "", false
	}
	return step{index: n}, strings.TrimPrefix(rest, "."), true
}

// find is the text of the value that the path leads to, "" where there is none,
// where it is null and for no path. A hash takes the place of text that is
// too long for an index or, as JSON allows, not UTF-8.
func (p path) find(document json.RawMessage) string {
	if len(p) == 0 {
		return ""
	}
	for _, s := range p {
		document = s.into(document)
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

// into is the value one step further, nil where the step leads nowhere.
func (s step) into(document json.RawMessage) json.RawMessage {
	if s.name != "" {
		var members map[string]json.RawMessage
		if json.Unmarshal(document, &members) != nil {
			return nil
		}
		return members[s.name]
	}
	var elements []json.RawMessage
	if json.Unmarshal(document, &elements) != nil || s.index >= len(elements) {
		return nil
	}
	return elements[s.index]
}
