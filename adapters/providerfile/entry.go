package providerfile

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/text"
)

// entry is one provider of the file. Its methods read the values by hand: errors of the YAML
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

func (e *entry) place(err error) error {
	line := e.node.Line
	if m := (*mistakeError)(nil); errors.As(err, &m) && m.line > 0 {
		line = m.line
	}
	label := fmt.Sprintf("%s: line %d: provider %d", e.file, line, e.number)
	if name := e.keys["name"]; name != nil && checkName(name.Value) == nil {
		label += fmt.Sprintf(" (%s)", name.Value)
	}
	return fmt.Errorf("%s: %w", label, err)
}

var fields = []string{
	"name", "label", "preset", "issuer", "clientId", "clientSecret", "clientSecretFile", "scopes", "domains", "trustEmail", "private",
}

// presets are what entries need not say.
var presets = map[string]Provider{
	"google": {
		Provider: identity.Provider{Name: "google", Label: "Google", TrustEmail: true},
		Issuer:   "https://accounts.google.com",
	},
	"microsoft": {
		Provider: identity.Provider{Name: "microsoft", Label: "Microsoft"},
		Issuer:   "https://login.microsoftonline.com/common/v2.0",
	},
	"github": {
		Provider: identity.Provider{Name: "github", Label: "GitHub", TrustEmail: true},
		Issuer:   "https://github.com", GitHub: true, Scopes: []string{"read:user", "user:email"},
	},
}

var usualScopes = []string{"openid", "email", "profile"}

// manyTenants are the second-to-last path segments of Microsoft's issuers that represent many
// tenants.
var manyTenants = []string{"common", "organizations", "consumers"}

// provider reads the entry.
func (e *entry) provider() (p Provider, err error) {
	if err := e.readKeys(); err != nil {
		return p, err
	}
	if p, err = e.preset(); err != nil {
		return p, err
	}
	for _, read := range []func(*Provider) error{e.readNames, e.readIssuer, e.readClient, e.readScopes, e.readDomains, e.readFlags} {
		if err := read(&p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// readKeys collects the values and refuses unknown and repeated keys.
func (e *entry) readKeys() error {
	if e.node.Kind != yaml.MappingNode {
		return mistake(e.node, "it is not a provider with name, issuer, clientId and clientSecret")
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

func (e *entry) preset() (Provider, error) {
	name, err := e.text("preset")
	if err != nil || name == "" {
		return Provider{}, err
	}
	p, ok := presets[name]
	if !ok {
		return Provider{}, mistake(e.keys["preset"], "%.40q is not a preset; the presets are google, microsoft, github", name)
	}
	return p, nil
}

func (e *entry) readNames(p *Provider) error {
	if err := e.replace("name", &p.Name); err != nil {
		return err
	}
	if err := checkName(p.Name); err != nil {
		return mistake(e.keys["name"], "%v", err)
	}
	if p.Label == "" {
		p.Label = p.Name
	}
	if err := e.replace("label", &p.Label); err != nil {
		return err
	}
	if text.Line(p.Label, maxLabel) != p.Label || text.Blank(p.Label) {
		return mistake(e.keys["label"], "label must be a line of 1 to %d bytes", maxLabel)
	}
	return nil
}

const (
	maxName  = 32
	maxLabel = 60
)

func checkName(name string) error {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return fmt.Errorf("the name %.40q has a character that is not a small letter, digit or hyphen", name)
		}
	}
	if name == "" || len(name) > maxName {
		return fmt.Errorf("the name must have 1 to %d characters", maxName)
	}
	return nil
}

func (e *entry) readIssuer(p *Provider) error {
	if err := e.replace("issuer", &p.Issuer); err != nil {
		return err
	}
	u, err := url.Parse(p.Issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return mistake(e.keys["issuer"], "issuer is not an address such as https://login.example.edu")
	}
	parts := strings.Split(u.Path, "/")
	p.ManyTenants = e.keys["preset"] != nil && e.keys["preset"].Value == "microsoft" && len(parts) == 3 && slices.Contains(manyTenants, parts[1])
	return nil
}

// maxCredential limits clientId and clientSecret, in bytes.
const maxCredential = 4096

func (e *entry) readClient(p *Provider) error {
	if err := e.replace("clientId", &p.ClientID); err != nil {
		return err
	}
	secret, file := e.keys["clientSecret"], e.keys["clientSecretFile"]
	switch {
	case p.ClientID == "":
		return mistake(nil, "clientId is missing")
	case secret != nil && file != nil:
		return mistake(file, "clientSecret and clientSecretFile are both given; use one")
	case file != nil:
		if err := e.readSecretFile(p); err != nil {
			return err
		}
	default:
		if err := e.replace("clientSecret", &p.ClientSecret); err != nil {
			return err
		}
	}
	for key, value := range map[string]string{"clientId": p.ClientID, "clientSecret": p.ClientSecret} {
		if len(value) > maxCredential || !utf8.ValidString(value) || strings.ContainsAny(value, "\r\n\x00") {
			return mistake(e.keys[key], "%s is not a line of at most %d bytes", key, maxCredential)
		}
	}
	return nil
}

func (e *entry) readSecretFile(p *Provider) error {
	name, err := e.text("clientSecretFile")
	if err != nil {
		return err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(e.file), name)
	}
	content, err := readFile(name)
	if err != nil {
		return mistake(e.keys["clientSecretFile"], "clientSecretFile: %v", err)
	}
	if p.ClientSecret = strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff")); p.ClientSecret == "" {
		return mistake(e.keys["clientSecretFile"], "clientSecretFile: %s is empty", name)
	}
	return nil
}

func (e *entry) readScopes(p *Provider) error {
	scopes, err := e.list("scopes")
	switch {
	case err != nil:
		return err
	case scopes != nil:
		p.Scopes = scopes
	case p.Scopes == nil:
		p.Scopes = slices.Clone(usualScopes)
	}
	if !p.GitHub && !slices.Contains(p.Scopes, "openid") {
		return mistake(e.keys["scopes"], "scopes must have openid")
	}
	for _, scope := range p.Scopes {
		if strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return mistake(e.keys["scopes"], "%.40q is not a scope", scope)
		}
	}
	return nil
}

func (e *entry) readDomains(p *Provider) error {
	domains, err := e.list("domains")
	if err != nil {
		return err
	}
	if e.keys["domains"] != nil && len(domains) == 0 {
		return mistake(e.keys["domains"], "domains is empty; leave it out to allow all")
	}
	for _, given := range domains {
		domain, err := identity.ParseDomain(given)
		if err != nil {
			return mistake(e.keys["domains"], "%.100q is not a domain such as example.edu or *.example.edu; international ones are written in Punycode", given)
		}
		p.Domains = append(p.Domains, domain)
	}
	return nil
}

func (e *entry) readFlags(p *Provider) error {
	if err := e.flag("private", &p.Private); err != nil {
		return err
	}
	if err := e.flag("trustEmail", &p.TrustEmail); err != nil {
		return err
	}
	if p.ManyTenants && p.TrustEmail {
		return mistake(e.keys["trustEmail"], "trustEmail cannot be true for %s: each tenant may claim every address; name the issuer of your own tenant", p.Issuer)
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

// replace sets into to the value of a key, if there is one.
func (e *entry) replace(key string, into *string) error {
	value, err := e.text(key)
	if err == nil && value != "" {
		*into = value
	}
	return err
}

func (e *entry) flag(key string, into *bool) error {
	value, err := e.text(key)
	switch {
	case err != nil:
		return err
	case value == "":
		return nil
	case value != "true" && value != "false":
		return mistake(e.keys[key], "%s is neither true nor false", key)
	}
	*into = value == "true"
	return nil
}

// list returns the texts of a list, nil if there is none.
func (e *entry) list(key string) ([]string, error) {
	value := e.keys[key]
	if value == nil {
		return nil, nil
	}
	if value.Kind != yaml.SequenceNode {
		return nil, mistake(value, "%s is not a list such as [a, b]", key)
	}
	all := []string{}
	for _, item := range value.Content {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" || item.Value == "" {
			return nil, mistake(item, "%s has an entry that is not a text", key)
		}
		all = append(all, item.Value)
	}
	return all, nil
}
