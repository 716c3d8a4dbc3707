package providerfile

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/adapters/yamllist"
	"github.com/octavo-books/octavo/domain/identity"
)

// SAMLProvider is an entry of a file of SAML providers:
//
//   - name: campus
//     label: The University
//     metadata: https://idp.example.edu/idp/shibboleth # or a file
//     domains: [example.edu, "*.example.edu"]
//     trustEmail: true
//   - name: edugain
//     label: Your university
//     metadata: https://mds.edugain.org/edugain-v2.xml # an aggregate
//     metadataCert: mds.pem
//   - name: adfs
//     metadata: adfs.xml
//     attributes: {id: NameID, mail: http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress}
type SAMLProvider struct {
	identity.Provider
	Metadata string // address, or path of a file
	Signers  []*x509.Certificate
	EntityID string
	// ID, Mail and DisplayName are the attributes that say them; "" for the usual ones.
	ID, Mail, DisplayName string
	Private               bool // the metadata may be in a private network
	Roles, Groups         []Rule
}

// samlFields are those of an entry.
type samlFields struct {
	Name                   string
	Shown                  string `yaml:"label"`
	Metadata, MetadataCert string
	EntityID               string `yaml:"entityID"`
	Attributes             struct {
		ID   string `yaml:"id"`
		Mail string
		Name string
	}
	Domains             []string
	TrustEmail, Private bool
	Roles, Groups       []Rule
}

// LoadSAML is Load for a file of SAML providers.
func LoadSAML(path string) ([]SAMLProvider, error) {
	text, err := yamllist.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseSAML(text, path)
}

// ParseSAML parses the text of the file at path, to which the files that it names are relative.
func ParseSAML(text []byte, path string) (all []SAMLProvider, err error) {
	list := &yamllist.List{
		Path: path, Noun: "provider", Most: maxProviders, IsName: func(name string) bool { return checkName(name) == nil },
	}
	entries, err := list.Entries(text)
	if err != nil {
		return nil, err
	}
	names := map[string]int{}
	for _, e := range entries {
		p, err := samlProvider(e, filepath.Dir(path))
		if err != nil {
			return nil, e.Place(err)
		}
		if line := names[p.Name]; line > 0 {
			return nil, e.Place(e.Mistake("name", "the name %s is that of the provider in line %d", p.Name, line))
		}
		names[p.Name] = e.Line()
		all = append(all, p)
	}
	return all, nil
}

// samlProvider reads an entry. Names and domains follow the rules of other providers.
func samlProvider(e *yamllist.Entry, folder string) (p SAMLProvider, err error) {
	var f samlFields
	if err := e.Decode(&f); err != nil {
		return p, err
	}
	shared := entry{Entry: e, fields: fields{Name: f.Name, Shown: f.Shown, Domains: f.Domains, Roles: f.Roles, Groups: f.Groups}}
	var rules Provider
	for _, read := range []func(*Provider) error{shared.readNames, shared.readDomains, shared.readRules} {
		if err := read(&rules); err != nil {
			return p, err
		}
	}
	p = SAMLProvider{Provider: rules.Provider, Private: f.Private, Roles: rules.Roles, Groups: rules.Groups}
	p.ID, p.Mail, p.DisplayName = f.Attributes.ID, f.Attributes.Mail, f.Attributes.Name
	p.Protocol, p.TrustEmail = identity.SAML, f.TrustEmail
	if p.Metadata, err = metadataOf(e, f.Metadata, folder); err != nil {
		return p, err
	}
	if p.Signers, err = signersOf(e, f.MetadataCert); err != nil {
		return p, err
	}
	p.EntityID = f.EntityID
	if e.Has("entityID") && (p.EntityID == "" || len(p.EntityID) > maxEntityID || strings.ContainsAny(p.EntityID, " \t\r\n")) {
		return p, e.Mistake("entityID", "entityID is not a word of at most %d bytes", maxEntityID)
	}
	return p, nil
}

const maxEntityID = 1024

// metadataOf returns the address of metadata, or the path of their file.
func metadataOf(e *yamllist.Entry, given, folder string) (string, error) {
	switch {
	case given == "":
		return "", e.Mistake("metadata", "metadata is missing: the address of the provider's metadata, or a file")
	case !strings.Contains(given, "://") && filepath.IsAbs(given):
		return given, nil
	case !strings.Contains(given, "://"):
		return filepath.Join(folder, given), nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || u.Fragment != "" || u.User != nil {
		return "", e.Mistake("metadata", "metadata is not an address such as https://idp.example.edu/metadata, nor a file")
	}
	return given, nil
}

// signersOf returns the certificates of those who sign metadata: of a file, or as they stand there.
func signersOf(e *yamllist.Entry, given string) (all []*x509.Certificate, err error) {
	if !e.Has("metadataCert") {
		return nil, nil
	}
	text := given
	if !strings.Contains(given, "-----BEGIN") {
		if text, err = e.File("metadataCert", given); err != nil {
			return nil, err
		}
	}
	for rest := []byte(text); len(strings.TrimSpace(string(rest))) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return nil, e.Mistake("metadataCert", "metadataCert is not a certificate in PEM form")
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, e.Mistake("metadataCert", "metadataCert is not a certificate: %v", err)
		}
		if _, ok := c.PublicKey.(*rsa.PublicKey); !ok {
			return nil, e.Mistake("metadataCert", "metadataCert has no RSA key, with which federations sign")
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, e.Mistake("metadataCert", "metadataCert is empty; leave it out if nobody signs the metadata")
	}
	return all, nil
}
