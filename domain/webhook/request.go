package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Request is a delivery as it came over the wire. Header names are in the canonical form
// of net/http.
type Request struct {
	Header map[string][]string
	Body   []byte
}

// missing is the name that is at fault: one that is given twice, or the first if none is
// there.
func (r Request) missing(group []string) string {
	for _, name := range group {
		if len(r.Header[name]) > 1 {
			return name
		}
	}
	if slices.ContainsFunc(group, func(name string) bool { return r.header(name) != "" }) {
		return ""
	}
	return group[0]
}

// header is the value of a header that is given once, without the space around it, or "".
func (r Request) header(name string) string {
	if values := r.Header[name]; len(values) == 1 {
		return strings.TrimSpace(values[0])
	}
	return ""
}

// first is the first of some headers that is there, and its value.
func (r Request) first(names []string) (name, value string) {
	for _, name := range names {
		if value := r.header(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// maxID is the most bytes a delivery id may have; those of most senders have 36.
const maxID = 256

func isID(id string) bool { return id != "" && len(id) <= maxID && isPrintable(id) }

// isPrintable reports whether s is printable ASCII.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// fromBody reads a top-level member that is a string.
func fromBody(key string) func(Request) (string, error) {
	return func(r Request) (string, error) {
		values, err := members(r.Body, key)
		return unquote(values[0]), err
	}
}

// or reads from next where first has nothing.
func or(first, next func(Request) (string, error)) func(Request) (string, error) {
	return func(r Request) (string, error) {
		if value, err := first(r); err != nil || value != "" {
			return value, err
		}
		return next(r)
	}
}

// constantly reads the same from every request.
func constantly(text string) func(Request) (string, error) {
	return func(Request) (string, error) { return text, nil }
}

// digest is an id for a delivery that has none: the same body has the same.
func digest(r Request) (string, error) {
	sum := sha256.Sum256(r.Body)
	return "sha256-" + hex.EncodeToString(sum[:16]), nil
}
