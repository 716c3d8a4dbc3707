package providerfile

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/yamllist"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/text"
)

// fields are those of an entry.
type fields struct {
	Name, Preset, Issuer           string
	Shown                          string `yaml:"label"`
	ClientID                       string `yaml:"clientId"`
	ClientSecret, ClientSecretFile string
	Scopes, Domains                []string
	TrustEmail, Private            *bool
	Roles, Groups                  []Rule
}

// entry is one provider of the file.
type entry struct {
	*yamllist.Entry
	fields
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
	if err := e.Decode(&e.fields); err != nil {
		return p, err
	}
	p, ok := presets[e.Preset]
	if e.Preset != "" && !ok {
		return p, e.Mistake("preset", "%.40q is not a preset; the presets are google, microsoft, github", e.Preset)
	}
	p.ClientID = e.ClientID
	for _, read := range []func(*Provider) error{
		e.readNames, e.readIssuer, e.readClient, e.readScopes, e.readDomains, e.readFlags, e.readRules,
	} {
		if err := read(&p); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (e *entry) readNames(p *Provider) error {
	p.Name = cmp.Or(e.Name, p.Name)
	if err := checkName(p.Name); err != nil {
		return e.Mistake("name", "%v", err)
	}
	p.Label = cmp.Or(e.Shown, p.Label, p.Name)
	if text.Line(p.Label, maxLabel) != p.Label || text.Blank(p.Label) {
		return e.Mistake("label", "label must be a line of 1 to %d bytes", maxLabel)
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
	p.Issuer = cmp.Or(e.Issuer, p.Issuer)
	u, err := url.Parse(p.Issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return e.Mistake("issuer", "issuer is not an address such as https://login.example.edu")
	}
	parts := strings.Split(u.Path, "/")
	p.ManyTenants = e.Preset == "microsoft" && len(parts) == 3 && slices.Contains(manyTenants, parts[1])
	return nil
}

// maxCredential limits clientId and clientSecret, in bytes.
const maxCredential = 4096

func (e *entry) readClient(p *Provider) (err error) {
	p.ClientSecret = e.ClientSecret
	switch {
	case p.ClientID == "":
		return e.Mistake("clientId", "clientId is missing")
	case e.Has("clientSecret") && e.Has("clientSecretFile"):
		return e.Mistake("clientSecretFile", "clientSecret and clientSecretFile are both given; use one")
	case e.Has("clientSecretFile"):
		if p.ClientSecret, err = e.File("clientSecretFile", e.ClientSecretFile); err != nil {
			return err
		}
	}
	for key, value := range map[string]string{"clientId": p.ClientID, "clientSecret": p.ClientSecret} {
		if len(value) > maxCredential || !utf8.ValidString(value) || strings.ContainsAny(value, "\r\n\x00") {
			return e.Mistake(key, "%s is not a line of at most %d bytes", key, maxCredential)
		}
	}
	return nil
}

func (e *entry) readScopes(p *Provider) error {
	switch {
	case e.Has("scopes"):
		p.Scopes = e.Scopes
	case p.Scopes == nil:
		p.Scopes = slices.Clone(usualScopes)
	}
	if !p.GitHub && !slices.Contains(p.Scopes, "openid") {
		return e.Mistake("scopes", "scopes must have openid")
	}
	for _, scope := range p.Scopes {
		if strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return e.Mistake("scopes", "%.40q is not a scope", scope)
		}
	}
	return nil
}

func (e *entry) readDomains(p *Provider) error {
	if e.Has("domains") && len(e.Domains) == 0 {
		return e.Mistake("domains", "domains is empty; leave it out to allow all")
	}
	for _, given := range e.Domains {
		domain, err := identity.ParseDomain(given)
		if err != nil {
			return e.Mistake("domains", "%.100q is not a domain such as example.edu or *.example.edu; international ones are written in Punycode", given)
		}
		p.Domains = append(p.Domains, domain)
	}
	return nil
}

func (e *entry) readFlags(p *Provider) error {
	if e.Private != nil {
		p.Private = *e.Private
	}
	if e.TrustEmail != nil {
		p.TrustEmail = *e.TrustEmail
	}
	if p.ManyTenants && p.TrustEmail {
		return e.Mistake("trustEmail", "trustEmail cannot be true for %s: each tenant may claim every address; name the issuer of your own tenant", p.Issuer)
	}
	return nil
}
