// Package rulefile loads forwarding rules from a YAML file:
//
//   - match: push
//     url: https://deploy.example/hooks
//     secret: a secret of its own
//     sign: sender # or none
//   - name: tracker
//     source: ci
//     match: [issues.*, pull_request]
//     where: payload.repository.private && payload.sender.type != "Bot"
//     url: http://tracker.internal:8080/
//     secretFile: tracker.secret # relative to this file
//     headers: none              # of the sender's; or sender, or a list of names
//     set: {Authorization: "Bearer ${TRACKER_TOKEN}"}
//     paused: true
//     private: true
//     concurrency: 2
//     orderBy: repository.id
//     rate: 100/m
//     timeout: 30s
//     maxTries: 10
package rulefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/adapters/yamllist"
	"github.com/octavo-books/octavo/application/inbox"
)

// maxSecret limits the secret of a file, in bytes.
const maxSecret = 4096

// maxRules limits the number of rules, because each has workers of its own.
const maxRules = 1000

// rule is the YAML form of an inbox.Rule.
type rule struct {
	Name        string   `yaml:"name"`
	Source      string   `yaml:"source"`
	Match       patterns `yaml:"match"`
	Where       *string  `yaml:"where"`
	URL         expanded `yaml:"url"`
	Secret      expanded `yaml:"secret"`
	SecretFile  string   `yaml:"secretFile"`
	Sign        string   `yaml:"sign"`
	Headers     headers  `yaml:"headers"`
	Set         added    `yaml:"set"`
	Paused      bool     `yaml:"paused"`
	Private     bool     `yaml:"private"`
	Concurrency number   `yaml:"concurrency"`
	OrderBy     string   `yaml:"orderBy"`
	Rate        string   `yaml:"rate"`
	Timeout     duration `yaml:"timeout"`
	MaxTries    number   `yaml:"maxTries"`
}

// Load reads and validates a file of rules, their conditions too. Unknown fields, invalid
// values and files of more than 1 MiB or 1,000 rules are errors that name the place.
func Load(path string, compile inbox.CompileExpression, options ...inbox.RuleOption) ([]inbox.Rule, error) {
	text, err := yamllist.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rules, err := Parse(text, path, compile, options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rules, nil
}

// Parse parses the text of the file at path, to which each secretFile is relative.
func Parse(text []byte, path string, compile inbox.CompileExpression, options ...inbox.RuleOption) ([]inbox.Rule, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var written []rule
	if err := decoder.Decode(&written); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.New(plain.Replace(err.Error()))
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file contains more than one YAML document")
	}
	if len(written) > maxRules {
		return nil, fmt.Errorf("the file has %d rules, the limit is %d", len(written), maxRules)
	}
	rules := make([]inbox.Rule, 0, len(written))
	for i, w := range written {
		complete, err := w.rule(path, compile, options)
		if err != nil {
			return nil, fmt.Errorf("line %d: rule %d: %w", lineOf(text, i), i+1, err)
		}
		rules = append(rules, complete)
	}
	return rules, nil
}

// plain removes what only programmers understand from an error of the YAML library.
var plain = strings.NewReplacer(
	"yaml: unmarshal errors:", "", " in type rulefile.rule", ", which no rule has", "into []rulefile.rule", "into a list of rules",
	"into rulefile.rule", "into a rule",
)

// rule converts and validates the rule.
func (w rule) rule(path string, compile inbox.CompileExpression, options []inbox.RuleOption) (inbox.Rule, error) {
	r := inbox.Rule{
		Name: w.Name, Source: w.Source, Match: strings.Join(w.Match, "\n"), URL: string(w.URL), Secret: string(w.Secret),
		Sign: w.Sign, Forwarded: w.Headers.forwarded, Headers: w.Headers.added, Paused: w.Paused, Private: w.Private,
		Concurrency: int(w.Concurrency),
		OrderBy:     w.OrderBy, Rate: w.Rate, Timeout: time.Duration(w.Timeout), MaxTries: int(w.MaxTries),
	}
	if w.Set != nil {
		if r.Headers != nil {
			return r, refuse("set: headers is a map already; write the added headers in one of them")
		}
		r.Headers = w.Set
	}
	if w.Where != nil {
		if r.Where = *w.Where; strings.TrimSpace(r.Where) == "" {
			return r, refuse("where: it is empty; a rule without a condition has no where")
		}
	}
	if w.SecretFile != "" {
		secret, err := w.secretOfFile(path)
		if err != nil {
			return r, err
		}
		r.Secret = secret
	}
	r, err := r.With(options).Complete()
	if err != nil {
		return r, err
	}
	_, err = r.CompileWhere(compile)
	return r, err
}

func refuse(format string, args ...any) error {
	return inbox.ErrRule.WithMsg("Forwarding rule: " + fmt.Sprintf(format, args...))
}

// secretOfFile reads the secret, which is the only line of a file.
func (w rule) secretOfFile(path string) (string, error) {
	if w.Secret != "" {
		return "", refuse("secretFile: secret is given, too; use one")
	}
	name := w.SecretFile
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(path), name)
	}
	text, err := yamllist.ReadFile(name)
	if err != nil {
		return "", refuse("secretFile: %v", err)
	}
	secret := strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff"))
	if secret == "" || strings.ContainsAny(secret, "\r\n") || len(secret) > maxSecret {
		return "", refuse("secretFile: %s is not one line with a secret", name)
	}
	return secret, nil
}

// lineOf returns the line at which a rule begins. The text must have been decoded without an
// error before.
func lineOf(text []byte, number int) int {
	var file yaml.Node
	if yaml.Unmarshal(text, &file) != nil || len(file.Content) == 0 || number >= len(file.Content[0].Content) {
		return 1
	}
	return file.Content[0].Content[number].Line
}
