package sourcefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// maxSecrets limits the secrets of a source: each delivery may be verified with all.
const maxSecrets = 16

// secrets reads secrets or secretFile and makes sure that the sender takes each.
func (e *entry) secrets(s Source, minSecret int) ([]receiver.Secret, error) {
	values, from, err := e.secretValues(s.Sender)
	if err != nil {
		return nil, err
	}
	if len(values) > maxSecrets {
		return nil, mistake(from, "it has %d secrets, the limit is %d", len(values), maxSecrets)
	}
	var secrets []receiver.Secret
	for i, value := range values {
		if n := utf8.RuneCountInString(value); n < minSecret && s.Sender.NeedsSecret() {
			return nil, mistake(from, "secret %d has %d characters, production needs at least %d; `openssl rand -hex 32` makes a good one", i+1, n, minSecret)
		}
		if _, err := s.Sender.Key(value); err != nil {
			return nil, mistake(from, "secret %d: %s", i+1, strings.TrimPrefix(err.Error(), "webhook: "))
		}
		secrets = append(secrets, receiver.Secret{Name: fmt.Sprintf("%s#%d", s.Name, i+1), Value: value})
	}
	return secrets, nil
}

// secretValues returns the secrets, at least one, and the value that has them. A sender that
// needs none may have an empty one.
func (e *entry) secretValues(sender *webhook.Sender) (values []string, from *yaml.Node, err error) {
	list, file := e.keys["secrets"], e.keys["secretFile"]
	switch {
	case list != nil && file != nil:
		return nil, nil, mistake(file, "secrets and secretFile are both given; use one")
	case file != nil:
		values, err = e.secretsOfFile()
		return values, file, err
	case list == nil && !sender.NeedsSecret():
		return []string{""}, e.node, nil
	case list == nil:
		return nil, nil, mistake(nil, "secrets or secretFile is missing")
	case list.Kind != yaml.SequenceNode || len(list.Content) == 0:
		return nil, nil, mistake(list, "secrets is not a list such as [\"…\"] with at least one secret")
	}
	for i, value := range list.Content {
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" || value.Value == "" {
			return nil, nil, mistake(value, "secret %d is not a text", i+1)
		}
		secret, missing := text.Expand(value.Value, os.Getenv)
		if missing != "" {
			return nil, nil, mistake(value, "secret %d needs the environment variable %s, which is not set", i+1, missing)
		}
		values = append(values, secret)
	}
	return values, list, nil
}

func (e *entry) secretsOfFile() (values []string, err error) {
	name, err := e.text("secretFile")
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(e.file), name)
	}
	content, err := readFile(name)
	if err != nil {
		return nil, mistake(e.keys["secretFile"], "secretFile: %v", err)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" {
			values = append(values, line)
		}
	}
	if values == nil {
		return nil, mistake(e.keys["secretFile"], "secretFile: %s has no secret", name)
	}
	return values, nil
}
