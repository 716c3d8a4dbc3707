package providerfile_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
)

// theSecret must not be in any error.
const theSecret = "tulip-bulb"

const good = "- name: campus\n  issuer: https://login.example.edu\n  clientId: octavo\n  clientSecret: " + theSecret + "\n"

func TestEveryFieldOfAProviderIsLoaded(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "google.secret"), []byte("\ufeff  "+theSecret+"\n"), 0o600))
	path := filepath.Join(dir, "providers.yaml")
	text := `# four providers
- {name: campus, label: The University, issuer: "https://login.example.edu/realms/x", clientId: octavo, clientSecret: s, scopes: [openid, mail], domains: [Example.edu, "*.example.edu"], trustEmail: true, private: true}
- {preset: google, clientId: g, clientSecretFile: google.secret}
- {preset: microsoft, clientId: m, clientSecret: s, label: Work account}
- {preset: github, name: code, clientId: h, clientSecret: s, trustEmail: false}
- {preset: microsoft, name: tenant, issuer: "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0", clientId: m, trustEmail: true}
`
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	got := must.Get(providerfile.Load(path))(t)
	usual := []string{"openid", "email", "profile"}
	want := []providerfile.Provider{
		{
			Provider: identity.Provider{Name: "campus", Label: "The University", TrustEmail: true, Domains: []string{"example.edu", "*.example.edu"}},
			Issuer:   "https://login.example.edu/realms/x", ClientID: "octavo", ClientSecret: "s", Scopes: []string{"openid", "mail"}, Private: true,
		},
		{Provider: identity.Provider{Name: "google", Label: "Google", TrustEmail: true}, Issuer: "https://accounts.google.com", ClientID: "g", ClientSecret: theSecret, Scopes: usual},
		{Provider: identity.Provider{Name: "microsoft", Label: "Work account"}, Issuer: "https://login.microsoftonline.com/common/v2.0", ManyTenants: true, ClientID: "m", ClientSecret: "s", Scopes: usual},
		{Provider: identity.Provider{Name: "code", Label: "GitHub"}, Issuer: "https://github.com", GitHub: true, ClientID: "h", ClientSecret: "s", Scopes: []string{"read:user", "user:email"}},
		{Provider: identity.Provider{Name: "tenant", Label: "Microsoft", TrustEmail: true}, Issuer: "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0", ClientID: "m", Scopes: usual},
	}
	for i := range want {
		if i >= len(got) || !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("provider %d of %d is %+v, want %+v", i+1, len(got), got[min(i, len(got)-1)], want[i])
		}
	}
}

func TestAFileMayHaveNoProviders(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "[]", "~"} {
		if got, err := providerfile.Parse([]byte(text), "p.yaml"); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestAMistakeIsOneLineWithItsPlaceAndWithoutSecrets(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown field":         {good + "  trustMail: true\n", `p.yaml: line 5: provider 1 (campus): unknown field "trustMail"`},
		"a field twice":            {good + "  issuer: https://x.edu\n", "line 5: provider 1 (campus): issuer is given twice"},
		"no name":                  {"- issuer: https://login.example.edu\n  clientId: x\n", "line 1: provider 1: the name must have"},
		"a name with a slash":      {strings.Replace(good, "campus", "a/b", 1), `line 1: provider 1: the name "a/b"`},
		"a name in capitals":       {strings.Replace(good, "campus", "Campus", 1), "not a small letter"},
		"a long name":              {strings.Replace(good, "campus", strings.Repeat("n", 33), 1), "1 to 32"},
		"the same name":            {good + good, "line 5: provider 2 (campus): the name campus is that of the provider in line 1"},
		"the same preset":          {"- {preset: github, clientId: a}\n- {preset: github, clientId: b}\n", "line 2: provider 2: the name github is that"},
		"an unknown preset":        {"- preset: facebook\n  clientId: x\n", `"facebook" is not a preset`},
		"no issuer":                {"- name: x\n  clientId: y\n", "line 1: provider 1 (x): issuer is not an address"},
		"an issuer with a query":   {strings.Replace(good, ".edu", ".edu?x=1", 1), "line 2: provider 1 (campus): issuer is not"},
		"an issuer with user info": {strings.Replace(good, "//login", "//u:"+theSecret+"@login", 1), "issuer is not"},
		"no client":                {"- name: x\n  issuer: https://x.edu\n", "clientId is missing"},
		"two secrets":              {good + "  clientSecretFile: x\n", "line 5: provider 1 (campus): clientSecret and clientSecretFile"},
		"a missing secret file":    {strings.Replace(good, "clientSecret: "+theSecret, "clientSecretFile: nowhere", 1), "clientSecretFile: open"},
		"a secret with two lines":  {strings.Replace(good, theSecret, `"`+theSecret+`\nx"`, 1), "clientSecret is not a line"},
		"a list for a secret":      {strings.Replace(good, theSecret, "["+theSecret+"]", 1), "line 4: provider 1 (campus): clientSecret is not a text"},
		"a text for scopes":        {good + "  scopes: openid\n", "scopes is not a list"},
		"no openid":                {good + "  scopes: [email]\n", "line 5: provider 1 (campus): scopes must have openid"},
		"a scope with a space":     {good + "  scopes: [openid, \"e mail\"]\n", `"e mail" is not a scope`},
		"no domains":               {good + "  domains: []\n", "domains is empty"},
		"a bad domain":             {good + "  domains: [\"*.edu\"]\n", `line 5: provider 1 (campus): "*.edu" is not a domain`},
		"an international domain":  {good + "  domains: [bücher.example]\n", "Punycode"},
		"a flag that is none":      {good + "  trustEmail: yes\n", "trustEmail is neither true nor false"},
		"trust in all tenants":     {"- {preset: microsoft, clientId: x, trustEmail: true}\n", "trustEmail cannot be true"},
		"a label of two lines":     {good + "  label: \"a\\nb\"\n", "label must be a line"},
		"a map":                    {"name: x\n", "line 1: the file is not a list"},
		"a text":                   {"- " + theSecret + "\n", "line 1: provider 1: it is not a provider"},
		"no YAML":                  {"- name: 'x\n  clientSecret: \"" + theSecret + "\"\n- [", "p.yaml: yaml:"},
		"too many":                 {strings.Repeat("- {}\n", 51), "the limit is 50"},
	} {
		_, err := providerfile.Parse([]byte(c.text), "p.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), theSecret) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestAFileThatOthersCanReadIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: false, 0o604: true, 0o602: true} {
		must.Do(t, os.WriteFile(path, nil, 0o600))
		must.Do(t, os.Chmod(path, mode))
		if got := providerfile.ReadableByOthers(path); got != want {
			t.Errorf("%v: %t, want %t", mode, got, want)
		}
		must.Do(t, os.Remove(path))
	}
}
