package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrPayload refuses a payload that is not exactly one JSON object.
var ErrPayload = errors.New("webhook: the payload is not a JSON object")

// maxDepth is how deep objects and arrays may nest, the limit of encoding/json.
const maxDepth = 10_000

// Scan checks in one pass, decoding nothing, that payload is one JSON object,
// and returns the value of its top-level member "action". An error is an
// ErrPayload that tells where.
//
// What is valid is what encoding/json calls valid; invalid UTF-8 inside strings
// is thus accepted, and nesting beyond 10,000 levels is not. The key is compared
// as it reads after its escapes, letter case included. Of repeated keys the last
// one counts, as in every common decoder. An action that is not a string is "".
func Scan(payload []byte) (action string, err error) {
	s := scanner{data: payload, keys: [maxKeys]string{"action"}}
	if end := s.object(); end < 0 {
		return "", fmt.Errorf("%w: at byte %d of %d", ErrPayload, ^end, len(payload))
	}
	return unquote(s.values[0]), nil
}

// maxKeys is how many members one scan can look for.
const maxKeys = 4

// members does what Scan does for other keys, at most maxKeys. A value is as it is
// written, nil where the object has no such member.
func members(payload []byte, keys ...string) (values [maxKeys][]byte, err error) {
	s := scanner{data: payload}
	copy(s.keys[:], keys)
	if end := s.object(); end < 0 {
		return values, fmt.Errorf("%w: at byte %d of %d", ErrPayload, ^end, len(payload))
	}
	return s.values, nil
}

// scanner walks over a JSON text. It keeps one bit for each open level instead
// of calling itself, so hostile nesting costs neither stack nor allocations.
//
// Its methods and the skip functions take the offset where something begins and
// return the offset behind it, or the complement (^) of the offset that breaks
// the grammar, which is always negative.
type scanner struct {
	data    []byte
	keys    [maxKeys]string // of top-level members; "" is none
	values  [maxKeys][]byte // the last value of each, as it is written
	depth   int
	objects [maxDepth/64 + 1]uint64 // bit set: that level is an object, else an array
}

// object scans the whole text as one object and remembers the values under keys.
func (s *scanner) object() int {
	i := skipSpace(s.data, 0)
	if at(s.data, i) != '{' {
		return ^i
	}
	if i = skipSpace(s.data, i+1); at(s.data, i) == '}' {
		return s.end(i + 1)
	}
	for {
		key := i
		start := skipKey(s.data, i)
		if start < 0 {
			return start
		}
		if i = s.value(start); i < 0 {
			return i
		}
		s.remember(s.data[key:start], s.data[start:i])
		i = skipSpace(s.data, i)
		switch at(s.data, i) {
		case ',':
			i = skipSpace(s.data, i+1)
		case '}':
			return s.end(i + 1)
		default:
			return ^i
		}
	}
}

// end requires that only space is left.
func (s *scanner) end(i int) int {
	if i = skipSpace(s.data, i); i < len(s.data) {
		return ^i
	}
	return i
}

// value scans one value of the top-level object with all it contains.
func (s *scanner) value(i int) int {
	s.depth = 1
	for i >= 0 {
		switch at(s.data, i) {
		case '{', '[':
			opened := s.depth
			if i = s.open(i); i >= 0 && s.depth > opened {
				continue // at its first member
			}
		case '"':
			i = skipString(s.data, i)
		default:
			i = skipLiteral(s.data, i)
		}
		if i >= 0 {
			i = s.next(i)
		}
		if s.depth == 1 {
			break
		}
	}
	return i
}

// open enters the object or array that begins at i and goes to its first
// member; it passes over an empty one without entering it.
func (s *scanner) open(i int) int {
	object := s.data[i] == '{'
	closer := s.data[i] + 2 // '}' and ']' stand two behind their openers
	if s.depth == maxDepth {
		return ^i
	}
	if i = skipSpace(s.data, i+1); at(s.data, i) == closer {
		return i + 1
	}
	if !object {
		s.objects[s.depth/64] &^= 1 << (s.depth % 64)
		s.depth++
		return i
	}
	s.objects[s.depth/64] |= 1 << (s.depth % 64)
	s.depth++
	return skipKey(s.data, i)
}

// next goes from behind a value to the next one, leaving the levels that end
// between them. Back on the top level it stops.
func (s *scanner) next(i int) int {
	for s.depth > 1 {
		level := s.depth - 1
		object := s.objects[level/64]>>(level%64)&1 == 1
		i = skipSpace(s.data, i)
		switch c := at(s.data, i); {
		case c == ',' && object:
			return skipKey(s.data, skipSpace(s.data, i+1))
		case c == ',':
			return skipSpace(s.data, i+1)
		case c == '}' && object, c == ']' && !object:
			s.depth--
			i++
		default:
			return ^i
		}
	}
	return i
}

// remember keeps the value of a member whose key, with the colon and space behind it, is
// one of keys.
func (s *scanner) remember(key, value []byte) {
	for i, wanted := range s.keys {
		if wanted != "" && isKey(key, wanted) {
			s.values[i] = value
		}
	}
}

// isKey reports whether text, a key with the colon and space behind it, reads key.
func isKey(text []byte, key string) bool {
	const escape = len(`\u0061`)
	if len(text) < len(key)+2 {
		return false
	}
	if text[len(key)+1] == '"' && string(text[1:len(key)+1]) == key {
		return true
	}
	end := skipString(text, 0)
	return len(key)+2 < end && end <= escape*len(key)+2 && !isPlain(text[1:end-1]) && unquote(text[:end]) == key
}

// unquote decodes a JSON string; any other value is "".
func unquote(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	inner := value[1 : len(value)-1]
	if isPlain(inner) {
		return string(inner)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "" // not reached: the scanner has accepted it as a string
	}
	return text
}

// isPlain reports whether the inside of a string reads as it is written.
func isPlain(inner []byte) bool {
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}
