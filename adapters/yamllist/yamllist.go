// Package yamllist reads files of settings that are a list in YAML. Each mistake is one line that
// names the file, the line and the entry, and never a value that may be a secret.
package yamllist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

const maxSize = 1 << 20 // of a file, in bytes

// ReadFile reads a file of at most 1 MiB. A pipe is refused: it gives its text once, but such files
// are read again and again.
func ReadFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("%s is a pipe, which can be read only once; name a file", path)
	}
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s: the file is larger than %d bytes", path, maxSize)
	}
	return text, err
}

// List describes a file.
type List struct {
	Path string
	Noun string // what an entry is: "source"
	Most int    // entries
	// IsName reports whether a name may be shown.
	IsName func(name string) bool
}

// quoted matches text of the file that the YAML library repeats in its errors: it may be a
// secret.
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"|` + "`[^`]*`")

// Entries parses the text of the file.
func (l *List) Entries(text []byte) ([]*Entry, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %s", l.Path, quoted.ReplaceAllString(err.Error(), "…"))
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return nil, nil
	}
	list := document.Content[0]
	switch {
	case list.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("%s: line %d: the file is not a list, of which each %s begins with a hyphen", l.Path, list.Line, l.Noun)
	case len(list.Content) > l.Most:
		return nil, fmt.Errorf("%s: the file has %d %ss, the limit is %d", l.Path, len(list.Content), l.Noun, l.Most)
	}
	var all []*Entry
	for i, node := range list.Content {
		all = append(all, &Entry{list: l, node: node, number: i + 1})
	}
	return all, nil
}

// Entry is one entry of a file.
type Entry struct {
	list   *List
	node   *yaml.Node
	number int
	values map[string]*yaml.Node
}

// Line is where the entry begins.
func (e *Entry) Line() int { return e.node.Line }

// Has reports whether the entry has a key, even if its value is empty.
func (e *Entry) Has(key string) bool { return e.values[key] != nil }

// Keys returns the keys of the entry in their order.
func (e *Entry) Keys() (keys []string) {
	for i := 0; i+1 < len(e.node.Content); i += 2 {
		keys = append(keys, e.node.Content[i].Value)
	}
	return keys
}

// mistakeError is a mistake at a line of the file; 0 is that of the entry.
type mistakeError struct {
	line int
	text string
}

func (m *mistakeError) Error() string { return m.text }

func mistake(value *yaml.Node, format string, args ...any) error {
	return &mistakeError{value.Line, fmt.Sprintf(format, args...)}
}

// Mistake makes an error at the value of a key, or at the entry if it has no such key.
func (e *Entry) Mistake(key, format string, args ...any) error {
	m := &mistakeError{text: fmt.Sprintf(format, args...)}
	if value := e.values[key]; value != nil {
		m.line = value.Line
	}
	return m
}

// Label names the entry by its line and, if it has one, its name.
func (e *Entry) Label() string { return e.label(e.node.Line) }

func (e *Entry) label(line int) string {
	label := fmt.Sprintf("%s: line %d: %s %d", e.list.Path, line, e.list.Noun, e.number)
	if name := e.values["name"]; name != nil && name.Value != "" && e.list.IsName(name.Value) {
		label += fmt.Sprintf(" (%s)", name.Value)
	}
	return label
}

// Place adds the entry and the line to an error.
func (e *Entry) Place(err error) error {
	line := e.node.Line
	if m := (*mistakeError)(nil); errors.As(err, &m) && m.line > 0 {
		line = m.line
	}
	return fmt.Errorf("%s: %w", e.label(line), err)
}

// File reads the file that a key names, relative to the list, without a byte order mark and the
// blanks around.
func (e *Entry) File(key, name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(e.list.Path), name)
	}
	content, err := ReadFile(name)
	if err != nil {
		return "", e.Mistake(key, "%s: %v", key, err)
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff"))
	if text == "" {
		return "", e.Mistake(key, "%s: %s has no secret", key, name)
	}
	return text, nil
}
