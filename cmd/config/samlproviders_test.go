package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestANameBelongsToOneSignInService(t *testing.T) {
	s := settings.Default(t)
	dir := t.TempDir()
	s.Identity.OIDCProviders, s.Identity.SAMLProviders = filepath.Join(dir, "oidc.yaml"), filepath.Join(dir, "saml.yaml")
	must.Do(t, os.WriteFile(s.Identity.OIDCProviders, []byte("- {name: campus, issuer: 'https://login.example.edu', clientId: x}\n"), 0o600))
	for text, want := range map[string]string{
		"- {name: college, metadata: 'https://idp.example.edu'}": "",
		"- {name: campus, metadata: 'https://idp.example.edu'}":  "the name campus is that of a provider of OIDC_PROVIDERS, too",
		"- {name: college, metadata: 'http://idp.example.edu'}":  "provider college: metadata: \"http://idp.example.edu\" must use https",
		"- {name: college}": "SAML_PROVIDERS: " + s.Identity.SAMLProviders + ": line 1: provider 1 (college): metadata is missing",
	} {
		must.Do(t, os.WriteFile(s.Identity.SAMLProviders, []byte(text), 0o600))
		all, err := s.SignInServices()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || err == nil && len(all.Rules()) != 2 {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestProductionNeedsTheKeyThatSAMLProvidersKnow(t *testing.T) {
	s := settings.Default(t)
	if _, err := s.ServiceKey(); err != nil {
		t.Error(err) // development makes one
	}
	s.Server.Env = "production"
	if _, err := s.ServiceKey(); err == nil || !strings.Contains(err.Error(), "octavo keys generate --saml") {
		t.Error(err)
	}
	s.Identity.SAMLKey = "x"
	if _, err := s.ServiceKey(); err == nil || !strings.Contains(err.Error(), "SAML_KEY: the key must be one PKCS#8 PEM block") {
		t.Error(err)
	}
}
