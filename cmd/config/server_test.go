package config_test

import (
	"errors"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

func TestSubdomainsGetHSTSOnlyBelowADomainWithHTTPS(t *testing.T) {
	for base, good := range map[string]bool{
		"https://books.example": true, "https://books.example.edu:8443": true,
		"": false, "http://books.example": false, "https://localhost": false, "https://192.0.2.1": false, "https://[2001:db8::1]": false,
	} {
		s := settings.Default(t)
		s.Server.BaseURL, s.Server.HSTSSubdomains = base, true
		if err := s.Validate(); (err == nil) != good || err != nil && !errors.Is(err, config.ErrSetting) {
			t.Errorf("%q: %v", base, err)
		}
	}
}
