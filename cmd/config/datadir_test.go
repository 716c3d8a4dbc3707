package config_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

func TestABrokenFileInTheDataFolderIsNamed(t *testing.T) {
	for name, read := range map[string]func(*config.Settings) error{
		"webhook-secret":   func(s *config.Settings) error { _, err := s.WebhookSecret(); return err },
		"signing-keys.pem": func(s *config.Settings) error { _, err := s.SigningKey(); return err },
	} {
		s := settings.Default(t)
		path := filepath.Join(s.Storage.DataDir, name)
		if err := read(&s); err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range []string{"", " \n\t\n", "\x00\x00\x00\x00"} {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := read(&s); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("%s of %q: %v", name, content, err)
			}
		}
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(&s); err != nil {
			t.Errorf("%s, put back: %v", name, err)
		}
	}
}

func TestABadKeyIsReportedOnceWithItsVariable(t *testing.T) {
	public, private, err := token.Generate()
	if err != nil {
		t.Fatal(err)
	}
	otherPublic, _, err := token.Generate()
	if err != nil {
		t.Fatal(err)
	}
	small, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	smallPublic, smallPrivate, err := token.Encode(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ public, private, says string }{
		{smallPublic, smallPrivate, "PUBLIC_KEY: " + token.ErrPublicKey.Error()},
		{public, smallPrivate, "PRIVATE_KEY: " + token.ErrPrivateKey.Error()},
		{otherPublic, private, "PUBLIC_KEY, PRIVATE_KEY: " + token.ErrPair.Error()},
	} {
		s := settings.Default(t)
		s.Identity.PublicKey, s.Identity.PrivateKey = c.public, c.private
		if _, err := s.SigningKey(); err == nil || err.Error() != c.says {
			t.Errorf("%v, not %s", err, c.says)
		}
	}
}
