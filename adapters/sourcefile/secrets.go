package sourcefile

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/text"
)

// maxSecrets limits the secrets of a source: each delivery may be verified with all.
const maxSecrets = 16

// secrets reads secrets or secretFile and makes sure that the sender takes each. A sender that
// needs no secret may have an empty one.
func (e *entry) secrets(s Source, minSecret int) ([]receiver.Secret, error) {
	values, err := e.secretValues()
	if err != nil {
		return nil, err
	}
	from := "secrets"
	if e.SecretFile != "" {
		from = "secretFile"
	}
	switch {
	case len(values) > maxSecrets:
		return nil, e.Mistake(from, "it has %d secrets, the limit is %d", len(values), maxSecrets)
	case values == nil && s.Sender.NeedsSecret():
		return nil, e.Mistake("", "secrets or secretFile is missing")
	case values == nil:
		values = []string{""}
	}
	var secrets []receiver.Secret
	for i, value := range values {
		if n := utf8.RuneCountInString(value); n < minSecret && s.Sender.NeedsSecret() {
			return nil, e.Mistake(from, "secret %d has %d characters, production needs at least %d; `openssl rand -hex 32` makes a good one", i+1, n, minSecret)
		}
		if _, err := s.Sender.Key(value); err != nil {
			return nil, e.Mistake(from, "secret %d: %s", i+1, withoutPrefix(err))
		}
		secrets = append(secrets, receiver.Secret{Name: fmt.Sprintf("%s#%d", s.Name, i+1), Value: value})
	}
	return secrets, nil
}

// secretValues returns the secrets of the list, or those of the file, one a line; nil if there is
// neither.
func (e *entry) secretValues() (values []string, err error) {
	switch {
	case e.Has("secrets") && e.Has("secretFile"):
		return nil, e.Mistake("secretFile", "secrets and secretFile are both given; use one")
	case e.Has("secretFile"):
		content, err := e.File("secretFile", e.SecretFile)
		for line := range strings.Lines(content) {
			if line = strings.TrimSpace(line); line != "" {
				values = append(values, line)
			}
		}
		return values, err
	case e.Has("secrets") && len(e.Secrets) == 0:
		return nil, e.Mistake("secrets", "secrets needs at least one secret")
	}
	for i, value := range e.Secrets {
		secret, missing := text.Expand(value, os.Getenv)
		if missing != "" {
			return nil, e.Mistake("secrets", "secret %d needs the environment variable %s, which is not set", i+1, missing)
		}
		values = append(values, secret)
	}
	return values, nil
}
