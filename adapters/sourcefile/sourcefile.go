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
	"time"

	"github.com/octavo-books/octavo/adapters/yamllist"
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

const maxSources = 1000

// Load reads and validates a file of sources, of at most 1 MiB and 1,000 sources. Each
// secret needs at least minSecret characters. The error is one line that names the file,
// the line and the source, and never a secret.
func Load(path string, minSecret int) ([]Source, error) {
	text, err := yamllist.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(text, path, minSecret)
}

// Parse parses the text of the file at path, to which each secretFile is relative.
func Parse(text []byte, path string, minSecret int) ([]Source, error) {
	list := &yamllist.List{Path: path, Noun: "source", Most: maxSources, IsName: func(name string) bool { return checkName(name) == nil }}
	entries, err := list.Entries(text)
	if err != nil {
		return nil, err
	}
	sources := make([]Source, 0, len(entries))
	names, paths := map[string]int{}, map[string]int{}
	for _, read := range entries {
		e := entry{Entry: read}
		source, err := e.source(minSecret)
		if err != nil {
			return nil, e.Place(err)
		}
		if line := names[source.Name]; line > 0 {
			return nil, e.Place(e.Mistake("name", "the name is that of the source in line %d", line))
		}
		if line := paths[source.Path]; line > 0 {
			return nil, e.Place(e.Mistake("path", "the path %s is that of the source in line %d", source.Path, line))
		}
		names[source.Name], paths[source.Path] = e.Line(), e.Line()
		sources = append(sources, source)
	}
	return sources, nil
}
