// Package rulefile reads forwarding rules from a YAML file:
//
//   - match: push
//     url: https://deploy.example/hooks
//     secret: a secret of its own
//   - name: tracker
//     match: issues.opened
//     url: http://tracker.internal:8080/
//     private: true
//     concurrency: 2
//     orderBy: repository.id
//     timeout: 30s
//     maxTries: 10
package rulefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/application/inbox"
)

// maxSize bounds a file of rules; a rule takes about a hundred bytes.
const maxSize = 1 << 20

// maxRules bounds their number: each has workers of its own.
const maxRules = 1000

// rule is an inbox.Rule as it is written.
type rule struct {
	Name        string   `yaml:"name"`
	Match       string   `yaml:"match"`
	URL         string   `yaml:"url"`
	Secret      string   `yaml:"secret"`
	Private     bool     `yaml:"private"`
	Concurrency int      `yaml:"concurrency"`
	OrderBy     string   `yaml:"orderBy"`
	Timeout     duration `yaml:"timeout"`
	MaxTries    int      `yaml:"maxTries"`
}

// duration is written as 30s or 1m30s.
type duration time.Duration

func (d *duration) UnmarshalYAML(node *yaml.Node) error {
	parsed, err := time.ParseDuration(node.Value)
	if err != nil {
		return fmt.Errorf("line %d: timeout %q is not a duration such as 30s", node.Line, node.Value)
	}
	*d = duration(parsed)
	return nil
}

// Load reads a file of rules. A field that is unknown, a value that cannot be and
// a file of more than 1 MiB or 1,000 rules are errors that say where.
func Load(path string) ([]inbox.Rule, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s: more than %d bytes", path, maxSize)
	}
	rules, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rules, nil
}

// Parse reads the text of such a file.
func Parse(text []byte) ([]inbox.Rule, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var written []rule
	if err := decoder.Decode(&written); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	if len(written) > maxRules {
		return nil, fmt.Errorf("%d rules are more than %d", len(written), maxRules)
	}
	rules := make([]inbox.Rule, 0, len(written))
	for i, w := range written {
		complete, err := inbox.Rule{
			Name: w.Name, Match: w.Match, URL: w.URL, Secret: w.Secret, Private: w.Private, Concurrency: w.Concurrency,
			OrderBy: w.OrderBy, Timeout: time.Duration(w.Timeout), MaxTries: w.MaxTries,
		}.Complete()
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		rules = append(rules, complete)
	}
	return rules, nil
}
