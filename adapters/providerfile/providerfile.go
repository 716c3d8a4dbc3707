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
	"os"

	"github.com/octavo-books/octavo/adapters/yamllist"
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
	Roles, Groups          []Rule
}

const maxProviders = 50

// Load reads and validates a file of providers, of at most 1 MiB and 50 providers. The error
// is one line that names the file, the line and the provider, and never a secret.
func Load(path string) ([]Provider, error) {
	text, err := yamllist.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(text, path)
}

// Parse parses the text of the file at path, to which each clientSecretFile is relative.
func Parse(text []byte, path string) ([]Provider, error) {
	list := &yamllist.List{
		Path: path, Noun: "provider", Most: maxProviders, IsName: func(name string) bool { return checkName(name) == nil },
	}
	entries, err := list.Entries(text)
	if err != nil {
		return nil, err
	}
	providers := make([]Provider, 0, len(entries))
	names := map[string]int{}
	for _, read := range entries {
		e := entry{Entry: read}
		p, err := e.provider()
		if err != nil {
			return nil, e.Place(err)
		}
		if line := names[p.Name]; line > 0 {
			return nil, e.Place(e.Mistake("name", "the name %s is that of the provider in line %d", p.Name, line))
		}
		names[p.Name] = e.Line()
		providers = append(providers, p)
	}
	return providers, nil
}

// ReadableByOthers reports whether every user can read or change a file. What its group may do is
// its owner's choice: the service's user is in it. It is always false on systems without such
// permissions.
func ReadableByOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o007 != 0 && os.PathSeparator == '/'
}
