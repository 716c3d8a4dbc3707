// Package sourcefile loads the sources of webhooks from a YAML file:
//
//   - name: ci
//     path: /hooks/ci
//     sender: github
//     secrets: ["the one that signs", "the one before"]
//   - name: shop
//     path: /hooks/shop
//     sender: stripe
//     secretFile: shop.secret # one a line, next to this file
//     tolerance: 10m
//     maxBody: 1048576
//   - name: meetings
//     path: /hooks/zoom
//     sender: custom
//     secrets: ["${ZOOM_SECRET}"] # of the environment
//     signed: "v0:{timestamp}:{body}"
//     signature: {header: X-Zm-Signature, prefix: "v0=", encoding: hex}
//     timestamp: {header: X-Zm-Request-Timestamp}
//     event: {json: event}
//     id: {json: payload.object.uuid}
package sourcefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Source is one path that receives the deliveries of one sender.
type Source struct {
	Name    string
	Path    string // without a slash at its end
	Sender  *webhook.Sender
	Secrets []receiver.Secret // named after the source and their number: ci#1
	MaxBody int64             // in bytes; 0 for the receiver's own limit
	Dedupe  time.Duration     // how long an id is remembered; 0 for the default, NoDedupe for never
	Place   string            // file, line and name, for errors
}

// NoDedupe is a Source.Dedupe: each delivery is a new one, whatever its id.
const NoDedupe = inbox.NoDedupe

const (
	maxSize    = 1 << 20 // of a file, in bytes
	maxSources = 1000
)

// Load reads and validates a file of sources, of at most 1 MiB and 1,000 sources. Each
// secret needs at least minSecret characters. The error is one line that names the file,
// the line and the source, and never a secret.
func Load(path string, minSecret int) ([]Source, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(text, path, minSecret)
}

// readFile reads a file of at most maxSize bytes.
func readFile(path string) ([]byte, error) {
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

// Parse parses the text of the file at path, to which each secretFile is relative.
func Parse(text []byte, path string, minSecret int) ([]Source, error) {
	entries, err := parseEntries(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sources := make([]Source, 0, len(entries))
	names, paths := map[string]int{}, map[string]int{}
	for i, node := range entries {
		e := entry{node: node, file: path, number: i + 1}
		source, err := e.source(minSecret)
		if err != nil {
			return nil, e.place(err)
		}
		if line := names[source.Name]; line > 0 {
			return nil, e.place(mistake(e.keys["name"], "the name is that of the source in line %d", line))
		}
		if line := paths[source.Path]; line > 0 {
			return nil, e.place(mistake(e.keys["path"], "the path %s is that of the source in line %d", source.Path, line))
		}
		names[source.Name], paths[source.Path] = node.Line, node.Line
		sources = append(sources, source)
	}
	return sources, nil
}

// quoted matches text of the file that the YAML library repeats in its errors: it may be a
// secret.
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"|` + "`[^`]*`")

func parseEntries(text []byte) ([]*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, errors.New(quoted.ReplaceAllString(err.Error(), "…"))
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return nil, nil
	}
	list := document.Content[0]
	switch {
	case list.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("line %d: the file is not a list of sources, each of which begins with a name", list.Line)
	case len(list.Content) > maxSources:
		return nil, fmt.Errorf("the file has %d sources, the limit is %d", len(list.Content), maxSources)
	}
	return list.Content, nil
}
