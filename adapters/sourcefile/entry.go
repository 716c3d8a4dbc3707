package sourcefile

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/domain/webhook"
)

// entry is one source of the file. Its methods read the values by hand: errors of the YAML
// library quote values, and one may be a secret in the wrong place.
type entry struct {
	node   *yaml.Node
	file   string
	number int
	keys   map[string]*yaml.Node // the values by key
}

// mistakeError is a mistake at a line of the file.
type mistakeError struct {
	line int
	text string
}

func (m *mistakeError) Error() string { return m.text }

// mistake makes an error for the line of a value; nil stands for the entry's first line.
func mistake(value *yaml.Node, format string, args ...any) error {
	m := &mistakeError{text: fmt.Sprintf(format, args...)}
	if value != nil {
		m.line = value.Line
	}
	return m
}

// label names the entry by its line and, if it has one, its name.
func (e *entry) label(line int) string {
	label := fmt.Sprintf("%s: line %d: source %d", e.file, line, e.number)
	if name := e.keys["name"]; name != nil && checkName(name.Value) == nil {
		label += fmt.Sprintf(" (%s)", name.Value)
	}
	return label
}

func (e *entry) place(err error) error {
	line := e.node.Line
	if m := (*mistakeError)(nil); errors.As(err, &m) && m.line > 0 {
		line = m.line
	}
	return fmt.Errorf("%s: %w", e.label(line), err)
}

var fields = []string{
	"name", "path", "sender", "secrets", "secretFile", "tolerance", "maxBody", "dedupe", "secretHeaders", "verifyToken", "webhookId", "clientState",
	"eventHeader", "eventField", "idHeader", "idField", "signatureHeader", "scheme", "prefix",
	"key", "signed", "algorithm", "encoding", "signature", "timestamp", "event", "id", "bodies", "challenge", "certificate",
}

// customFields are the fields that only the sender custom has.
var customFields = fields[12:]

// source reads the entry.
func (e *entry) source(minSecret int) (s Source, err error) {
	if err := e.readKeys(); err != nil {
		return s, err
	}
	if s.Name, err = e.required("name"); err != nil {
		return s, err
	}
	if err := checkName(s.Name); err != nil {
		return s, mistake(e.keys["name"], "%v", err)
	}
	if s.Path, err = e.path(); err != nil {
		return s, err
	}
	if s.Sender, err = e.sender(); err != nil {
		return s, err
	}
	if s.MaxBody, err = e.maxBody(); err != nil {
		return s, err
	}
	if s.Dedupe, err = e.dedupe(); err != nil {
		return s, err
	}
	s.Place = e.label(e.node.Line)
	s.Secrets, err = e.secrets(s, minSecret)
	return s, err
}

// readKeys collects the values and refuses unknown and repeated keys.
func (e *entry) readKeys() error {
	if e.node.Kind != yaml.MappingNode {
		return mistake(e.node, "it is not a source with name, path, sender and secrets")
	}
	e.keys = map[string]*yaml.Node{}
	for i := 0; i+1 < len(e.node.Content); i += 2 {
		key, value := e.node.Content[i], e.node.Content[i+1]
		switch {
		case !slices.Contains(fields, key.Value):
			return mistake(key, "unknown field %.40q; the fields are %s", key.Value, strings.Join(fields, ", "))
		case e.keys[key.Value] != nil:
			return mistake(key, "%s is given twice", key.Value)
		}
		e.keys[key.Value] = value
	}
	return nil
}

// text returns the text of a value, "" if there is none.
func (e *entry) text(key string) (string, error) {
	value := e.keys[key]
	if value == nil {
		return "", nil
	}
	if value.Kind != yaml.ScalarNode || value.Tag == "!!null" || value.Value == "" {
		return "", mistake(value, "%s is not a text", key)
	}
	return value.Value, nil
}

func (e *entry) required(key string) (string, error) {
	value, err := e.text(key)
	if err == nil && value == "" {
		err = mistake(nil, "%s is missing", key)
	}
	return value, err
}

const maxName = 64

// reserved are the names of Octavo's own sources.
var reserved = []string{"default", "octavo"}

func checkName(name string) error {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return fmt.Errorf("the name %.40q has a character that is not a letter, digit, dot, hyphen or underscore", name)
		}
	}
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d characters", maxName)
	case slices.Contains(reserved, name):
		return fmt.Errorf("the name %s is Octavo's own", name)
	}
	return nil
}

func (e *entry) path() (string, error) {
	given, err := e.required("path")
	if err != nil {
		return "", err
	}
	p := strings.TrimSuffix(given, "/")
	if u, err := url.Parse(p); err != nil || !strings.HasPrefix(p, "/") || u.Path != p || path.Clean(p) != p || strings.ContainsAny(p, ":*{}") {
		return "", mistake(e.keys["path"], "%.100q is not a path such as /hooks/ci", given)
	}
	return p, nil
}

func (e *entry) sender() (*webhook.Sender, error) {
	name, err := e.required("sender")
	if err != nil {
		return nil, err
	}
	sender, err := e.senderNamed(name)
	if err != nil {
		return nil, err
	}
	if sender, err = e.withOptions(sender); err != nil {
		return nil, err
	}
	tolerance, err := e.text("tolerance")
	if err != nil || tolerance == "" {
		return sender, err
	}
	if !sender.UsesTimestamp() {
		return nil, mistake(e.keys["tolerance"], "tolerance has no effect: %s signs no timestamp", name)
	}
	d, err := duration(e.keys["tolerance"], "tolerance", time.Second, 24*time.Hour)
	return sender.WithTolerance(d), err
}

// duration parses a duration within limits.
func duration(value *yaml.Node, key string, shortest, longest time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value.Value)
	if err != nil || d < shortest || d > longest {
		return 0, mistake(value, "%s %.40q is not a duration from %s to %s", key, value.Value, short(shortest), short(longest))
	}
	return d, nil
}

// short writes a duration without what is zero.
func short(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

// withOptions returns the sender with what it needs besides a secret, and with its secret headers.
func (e *entry) withOptions(sender *webhook.Sender) (*webhook.Sender, error) {
	var o webhook.Options
	for key, into := range map[string]*string{"verifyToken": &o.VerifyToken, "webhookId": &o.WebhookID, "clientState": &o.ClientState} {
		text, err := e.expanded(key)
		if err != nil {
			return nil, err
		}
		*into = text
	}
	if o != (webhook.Options{}) {
		changed, err := sender.WithOptions(o)
		if err != nil {
			return nil, mistake(e.keys["sender"], "%s", withoutPrefix(err))
		}
		sender = changed
	}
	names, err := e.texts("secretHeaders")
	if err != nil || names == nil {
		return sender, err
	}
	if sender, err = sender.WithSecretHeaders(names...); err != nil {
		return nil, mistake(e.keys["secretHeaders"], "%s", withoutPrefix(err))
	}
	return sender, nil
}

func (e *entry) senderNamed(name string) (*webhook.Sender, error) {
	if name == "custom" {
		return e.customSender()
	}
	for _, key := range customFields {
		if e.keys[key] != nil {
			return nil, mistake(e.keys[key], "%s is only for the sender custom", key)
		}
	}
	sender, err := webhook.SenderNamed(name)
	if err != nil {
		var names []string
		for _, s := range webhook.Senders() {
			names = append(names, s.Name())
		}
		return nil, mistake(e.keys["sender"], "%.40q is not a sender; the senders are %s, custom", name, strings.Join(names, ", "))
	}
	return sender, nil
}

func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "webhook: ") }

// maxDedupe is the longest time for which ids are remembered.
const maxDedupe = 365 * 24 * time.Hour

// dedupe reads how long an id is remembered: none, or a duration in which d stands for days.
func (e *entry) dedupe() (time.Duration, error) {
	text, err := e.text("dedupe")
	switch {
	case err != nil || text == "":
		return 0, err
	case text == "none":
		return NoDedupe, nil
	}
	value := *e.keys["dedupe"]
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil {
			value.Value = strconv.Itoa(24*n) + "h"
		}
	}
	d, err := time.ParseDuration(value.Value)
	if err != nil || d < time.Second || d > maxDedupe {
		return 0, mistake(&value, "dedupe %.40q is not none, or a duration from 1s to 365d", text)
	}
	return d, nil
}

// bodyLimit is the largest maxBody, and the limit without one.
const bodyLimit = 25 << 20

func (e *entry) maxBody() (int64, error) {
	text, err := e.text("maxBody")
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > bodyLimit {
		return 0, mistake(e.keys["maxBody"], "maxBody %.40q is not a number of bytes from 1 to %d", text, bodyLimit)
	}
	return n, nil
}
