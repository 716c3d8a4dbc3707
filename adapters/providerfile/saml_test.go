package providerfile_test

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
)

func TestEveryFieldOfASAMLProviderIsLoaded(t *testing.T) {
	dir := t.TempDir()
	certificate := samlidp.New(t, "", 1).Certificate
	must.Do(t, os.WriteFile(filepath.Join(dir, "mds.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}), 0o600))
	path := filepath.Join(dir, "saml.yaml")
	must.Do(t, os.WriteFile(path, []byte(`
- {name: campus, label: The University, metadata: "https://idp.example.edu/metadata", metadataCert: mds.pem, entityID: "urn:idp", attributes: {id: uid, mail: m, name: n}, domains: [Example.edu], trustEmail: true, private: true, roles: [{when: 'isMemberOf contains "market"', grant: admin, campus: Lyon}], groups: [{from: isMemberOf}]}
- {name: adfs, metadata: adfs.xml}
`), 0o600))
	all := must.Get(providerfile.LoadSAML(path))(t)
	if len(all) != 2 || len(all[0].Signers) != 1 || !all[0].Signers[0].Equal(certificate) {
		t.Fatalf("%+v", all)
	}
	p, adfs := all[0], all[1]
	if p.Name != "campus" || p.Label != "The University" || p.Protocol != identity.SAML || !p.TrustEmail || p.Domains[0] != "example.edu" || !p.Private ||
		p.Metadata != "https://idp.example.edu/metadata" || p.EntityID != "urn:idp" || p.ID != "uid" || p.Mail != "m" || p.DisplayName != "n" {
		t.Errorf("%+v", p)
	}
	if len(p.Roles) != 1 || p.Roles[0].Campus != "Lyon" || len(p.Groups) != 1 || p.Groups[0].From != "isMemberOf" {
		t.Errorf("%+v %+v", p.Roles, p.Groups)
	}
	if adfs.Label != "adfs" || adfs.Metadata != filepath.Join(dir, "adfs.xml") || adfs.Signers != nil || adfs.TrustEmail {
		t.Errorf("%+v", adfs)
	}
}

func TestAMistakeInASAMLProviderIsOneLineWithItsPlace(t *testing.T) {
	const good = "- name: campus\n  metadata: idp.xml\n"
	for name, c := range map[string]struct{ text, want string }{
		"an unknown field":          {good + "  issuer: x\n", `saml.yaml: line 3: provider 1 (campus): unknown field "issuer"`},
		"an unknown attribute":      {good + "  attributes: {email: x}\n", `attributes has the unknown field "email"; its fields are id, mail, name`},
		"no metadata":               {"- name: campus\n", "metadata is missing"},
		"metadata with a fragment":  {"- name: campus\n  metadata: https://idp.example.edu/#x\n", "line 2: provider 1 (campus): metadata is not an address"},
		"no name":                   {"- metadata: idp.xml\n", "the name must have"},
		"the same name":             {good + good, "the name campus is that of the provider in line 1"},
		"a bad domain":              {good + "  domains: [\"*.edu\"]\n", "is not a domain"},
		"an empty entity ID":        {good + "  entityID: \"\"\n", "entityID is not"},
		"a certificate not there":   {good + "  metadataCert: nowhere.pem\n", "metadataCert: open"},
		"a certificate that is one": {good + "  metadataCert: \"-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----\"\n", "metadataCert is not a certificate"},
		"a key for a certificate":   {good + "  metadataCert: \"-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----\"\n", "PEM form"},
		"a rule without condition":  {good + "  roles: [{grant: admin}]\n", "a rule of roles needs when"},
		"a flag that is none":       {good + "  trustEmail: yes\n", "trustEmail is neither true nor false"},
	} {
		_, err := providerfile.ParseSAML([]byte(c.text), "saml.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
