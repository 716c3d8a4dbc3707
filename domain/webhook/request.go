package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Request is an HTTP request that delivers a webhook. Header names are in the canonical
// form of net/http.
type Request struct {
	Header map[string][]string
	Body   []byte
}

// missing returns the header of the group to complain about: one that is given more than
// once, or the first if the request has none of them. It is "" if there is no problem.
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

// header returns the trimmed value of a header that is given exactly once, otherwise "".
func (r Request) header(name string) string {
	if values := r.Header[name]; len(values) == 1 {
		return strings.TrimSpace(values[0])
	}
	return ""
}

// first returns the name and value of the first of these headers that is present.
func (r Request) first(names []string) (name, value string) {
	for _, name := range names {
		if value := r.header(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// maxID limits delivery ids, in bytes; those of most senders have 36.
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

// fromBody reads a top-level string member of the body.
func fromBody(key string) func(Request) (string, error) {
	return func(r Request) (string, error) {
		values, err := members(r.Body, key)
		return unquote(values[0]), err
	}
}

// or reads with next if first finds nothing.
func or(first, next func(Request) (string, error)) func(Request) (string, error) {
	return func(r Request) (string, error) {
		if value, err := first(r); err != nil || value != "" {
			return value, err
		}
		return next(r)
	}
}

// constantly returns the same text for every request.
func constantly(text string) func(Request) (string, error) {
	return func(Request) (string, error) { return text, nil }
}

// digest derives an id from the body, for deliveries that have none.
func digest(r Request) (string, error) {
	sum := sha256.Sum256(r.Body)
	return "sha256-" + hex.EncodeToString(sum[:16]), nil
}
