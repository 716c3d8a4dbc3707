package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

// withHTTPS are settings that get a certificate for books.example.edu.
func withHTTPS(t *testing.T) config.Settings {
	t.Helper()
	s := settings.Default(t)
	v := &s.Server
	v.HTTPS, v.Domain, v.HTTPSPort, v.HTTPPort, v.Port, v.ACMEDirectory = "auto", "Books.Example.edu.", 443, 80, 3000, "https://acme.example/directory"
	return s
}

func TestHTTPSNeedsNothingButADomain(t *testing.T) {
	s := withHTTPS(t)
	must.Do(t, s.Validate())
	if s.Server.BaseURL != "https://books.example.edu" {
		t.Errorf("BASE_URL is %q", s.Server.BaseURL)
	}
	s = withHTTPS(t)
	s.Server.Domain, s.Server.HTTPSPort = "bücher.example", 8443
	must.Do(t, s.Validate())
	if s.Server.BaseURL != "https://xn--bcher-kva.example:8443" {
		t.Errorf("BASE_URL is %q", s.Server.BaseURL)
	}
}

func TestSettingsOfHTTPSThatCannotWorkAreNamed(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.pem")
	must.Do(t, os.WriteFile(junk, []byte("junk"), 0o600))
	for name, change := range map[string]func(*config.ServerSettings){
		"HTTPS":          func(v *config.ServerSettings) { v.HTTPS = "on" },
		"DOMAIN":         func(v *config.ServerSettings) { v.Domain = "" },
		"DOMAIN: \"1":    func(v *config.ServerSettings) { v.Domain = "192.0.2.1" },
		"DOMAIN: \"l":    func(v *config.ServerSettings) { v.Domain = "localhost" },
		"DOMAIN: \"h":    func(v *config.ServerSettings) { v.Domain = "https://books.example.edu" },
		"BASE_URL":       func(v *config.ServerSettings) { v.BaseURL = "https://other.example.edu" },
		"HTTPS_PORT":     func(v *config.ServerSettings) { v.HTTPSPort = 3000 },
		"ACME_DIRECTORY": func(v *config.ServerSettings) { v.ACMEDirectory = "http://acme.example" },
		"ACME_MAIL":      func(v *config.ServerSettings) { v.ACMEMail = "ops" },
		"ACME_CA_FILE":   func(v *config.ServerSettings) { v.ACMECAFile = junk },
	} {
		s := withHTTPS(t)
		change(&s.Server)
		if err := s.Validate(); !errors.Is(err, config.ErrSetting) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
