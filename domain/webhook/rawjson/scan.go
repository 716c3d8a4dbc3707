package rawjson

import "encoding/json"

// maxDepth limits the nesting of objects and arrays, as encoding/json does.
const maxDepth = 10_000

// MaxKeys limits the members that one scan can look for.
const MaxKeys = 4

// Members validates in one pass, without decoding, that text is exactly one JSON object, and
// returns the undecoded values of its top-level members with these keys, at most MaxKeys, nil
// for each that it does not have. bad is the offset of the first error, -1 if there is none.
//
// It accepts what encoding/json accepts: invalid UTF-8 inside strings is valid,
// nesting beyond 10,000 levels is not. Keys are compared after decoding their escapes,
// and letter case matters. Of repeated keys the last one counts, as in encoding/json.
func Members(text []byte, keys ...string) (values [MaxKeys][]byte, bad int) {
	s := scanner{data: text}
	copy(s.keys[:], keys)
	if end := s.object(); end < 0 {
		return s.values, ^end
	}
	return s.values, -1
}

// scanner scans a JSON text. It keeps one bit for each open level instead of recursing,
// so hostile nesting costs neither stack nor allocations.
//
// Its methods and the skip functions take the offset at which a token begins and return
// the offset after it. For a syntax error they return the complement (^) of the offset
// of the error, which is always negative.
type scanner struct {
	data    []byte
	keys    [MaxKeys]string // top-level members to find; "" for unused
	values  [MaxKeys][]byte // the last value of each, undecoded
	depth   int
	objects [maxDepth/64 + 1]uint64 // a set bit marks an object, a cleared one an array
}

// object scans the whole text as one object and stores the values of keys.
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

// end requires that only white space is left.
func (s *scanner) end(i int) int {
	if i = skipSpace(s.data, i); i < len(s.data) {
		return ^i
	}
	return i
}

// value scans one value of the top-level object, with everything inside it.
func (s *scanner) value(i int) int {
	s.depth = 1
	for i >= 0 {
		switch at(s.data, i) {
		case '{', '[':
			opened := s.depth
			if i = s.open(i); i >= 0 && s.depth > opened {
				continue // with its first member
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

// open enters the object or array that begins at i and returns the offset of its first
// member. It skips an empty one without entering it.
func (s *scanner) open(i int) int {
	object := s.data[i] == '{'
	closer := s.data[i] + 2 // in ASCII, '}' and ']' are their openers plus two
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

// next returns the offset of the value after the one that ends at i, leaving the levels
// that end in between. It stops at the top level.
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

// remember stores the value of a member if its key is one of keys. key includes the colon
// and space after it.
func (s *scanner) remember(key, value []byte) {
	for i, wanted := range s.keys {
		if wanted != "" && isKey(key, wanted) {
			s.values[i] = value
		}
	}
}

// isKey reports whether text, a key with the colon and space after it, decodes to key.
func isKey(text []byte, key string) bool {
	const escape = len(`\u0061`)
	if len(text) < len(key)+2 {
		return false
	}
	if text[len(key)+1] == '"' && string(text[1:len(key)+1]) == key {
		return true
	}
	end := skipString(text, 0)
	return len(key)+2 < end && end <= escape*len(key)+2 && !isPlain(text[1:end-1]) && Unquote(text[:end]) == key
}

// Unquote decodes a JSON string that a scan has validated; any other value is "".
func Unquote(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	inner := value[1 : len(value)-1]
	if isPlain(inner) {
		return string(inner)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "" // unreachable: the scanner has validated the string
	}
	return text
}

// isPlain reports whether the inside of a string needs no decoding.
func isPlain(inner []byte) bool {
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}
