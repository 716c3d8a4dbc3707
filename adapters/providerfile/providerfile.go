// Package providerfile loads the providers for external sign-ins from a YAML file:
//
//   - name: campus
//     label: The University
//     issuer: https://login.example.edu
//     clientId: octavo
//     clientSecret: "…"
//     scopes: [openid, email, profile]
//     domains: [example.edu, "*.example.edu"]
//     trustEmail: true
//   - preset: google # or microsoft, github
//     clientId: "…"
//     clientSecretFile: google.secret # next to this file
package providerfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/domain/identity"
)

// Provider is an entry of the file.
type Provider struct {
	identity.Provider
	GitHub                 bool // it speaks GitHub's protocol, not OpenID Connect
	Issuer                 string
	ManyTenants            bool // the issuer represents the issuers of many tenants
	ClientID, ClientSecret string
	Scopes                 []string
	Private                bool // it may be in a private network
}

const (
	maxSize      = 1 << 20 // of a file, in bytes
	maxProviders = 50
)

// Load reads and validates a file of providers, of at most 1 MiB and 50 providers. The error
// is one line that names the file, the line and the provider, and never a secret.
func Load(path string) ([]Provider, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(text, path)
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

// Parse parses the text of the file at path, to which each clientSecretFile is relative.
func Parse(text []byte, path string) ([]Provider, error) {
	entries, err := parseEntries(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	providers := make([]Provider, 0, len(entries))
	names := map[string]int{}
	for i, node := range entries {
		e := entry{node: node, file: path, number: i + 1}
		p, err := e.provider()
		if err != nil {
			return nil, e.place(err)
		}
		if line := names[p.Name]; line > 0 {
			return nil, e.place(mistake(e.keys["name"], "the name %s is that of the provider in line %d", p.Name, line))
		}
		names[p.Name] = node.Line
		providers = append(providers, p)
	}
	return providers, nil
}

// quoted is what the YAML library repeats of the file in its errors: it may be a secret.
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
		return nil, fmt.Errorf("line %d: the file is not a list of providers, each of which begins with a name or a preset", list.Line)
	case len(list.Content) > maxProviders:
		return nil, fmt.Errorf("the file has %d providers, the limit is %d", len(list.Content), maxProviders)
	}
	return list.Content, nil
}

// ReadableByOthers reports whether every user can read or change a file. What its group may do is
// its owner's choice: the service's user is in it. It is always false on systems without such
// permissions.
func ReadableByOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o007 != 0 && os.PathSeparator == '/'
}
