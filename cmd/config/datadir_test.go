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
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestABrokenFileInTheDataFolderIsNamed(t *testing.T) {
	for name, read := range map[string]func(*config.Settings) error{
		"webhook-secret":   func(s *config.Settings) error { _, err := s.WebhookSecret(); return err },
		"signing-keys.pem": func(s *config.Settings) error { _, err := s.SigningKey(); return err },
	} {
		s := settings.Default(t)
		path := filepath.Join(s.Storage.DataDir, name)
		must.Do(t, read(&s))
		kept := must.Get(os.ReadFile(path))(t)
		for _, content := range []string{"", " \n\t\n", "\x00\x00\x00\x00"} {
			must.Do(t, os.WriteFile(path, []byte(content), 0o600))
			if err := read(&s); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("%s of %q: %v", name, content, err)
			}
		}
		must.Do(t, os.WriteFile(path, kept, 0o600))
		if err := read(&s); err != nil {
			t.Errorf("%s, put back: %v", name, err)
		}
	}
}

func TestABadKeyIsReportedOnceWithItsVariable(t *testing.T) {
	public, private := must.Get2(token.Generate())(t)
	otherPublic, _ := must.Get2(token.Generate())(t)
	small := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	smallPublic, smallPrivate := must.Get2(token.Encode(small))(t)
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
