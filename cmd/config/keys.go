package config

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/adapters/token"
)

// KeysFile holds the generated key pair, in DATA_DIR.
const KeysFile = "signing-keys.pem"

// GenerateKeys prints a new key pair as two lines of an env file.
func GenerateKeys(out io.Writer) error {
	public, private, err := token.Generate()
	if err != nil {
		return err
	}
	escape := strings.NewReplacer("\n", `\n`)
	_, err = fmt.Fprintf(out, "PUBLIC_KEY=\"%s\"\nPRIVATE_KEY=\"%s\"\n", escape.Replace(public), escape.Replace(private))
	return err
}

// SigningKey parses the key pair of the settings. Development generates a pair in
// DATA_DIR; production is refused earlier if none is set.
func (s *Settings) SigningKey() (*ecdsa.PrivateKey, error) {
	if s.Identity.PrivateKey == "" {
		return loadOrCreateKey(s.Storage.DataDir)
	}
	key, err := token.ParsePair(s.Identity.PublicKey, s.Identity.PrivateKey)
	if err == nil {
		return key, nil
	}
	name := "PUBLIC_KEY, PRIVATE_KEY"
	switch {
	case errors.Is(err, token.ErrPublicKey):
		name = "PUBLIC_KEY"
	case errors.Is(err, token.ErrPrivateKey):
		name = "PRIVATE_KEY"
	}
	return nil, Errorf(name, "%v", err)
}

// PreviousKeys parses the public keys whose tokens are still accepted.
func (s *Settings) PreviousKeys() ([]*ecdsa.PublicKey, error) {
	if s.Identity.PreviousPublicKeys == "" {
		return nil, nil
	}
	keys, err := token.ParsePublic(s.Identity.PreviousPublicKeys)
	if err != nil {
		return nil, Errorf("PREVIOUS_PUBLIC_KEYS", "%v", err)
	}
	return keys, nil
}

// PreviousSecretKeys parses the private keys that still decrypt what is kept for years.
func (s *Settings) PreviousSecretKeys() ([]*ecdsa.PrivateKey, error) {
	keys, err := token.ParsePrivate(s.Identity.PreviousPrivateKeys)
	if err != nil {
		return nil, Errorf("PREVIOUS_PRIVATE_KEYS", "%v", err)
	}
	return keys, nil
}

// loadOrCreateKey stores both keys in one file, so that a crash cannot separate them.
func loadOrCreateKey(dir string) (*ecdsa.PrivateKey, error) {
	const file, begin = KeysFile, "-----BEGIN PRIVATE KEY-----"
	pair, err := loadOrCreate(dir, file, func() (string, error) {
		public, private, err := token.Generate()
		return strings.TrimSpace(public) + "\n" + private, err
	})
	if err != nil {
		return nil, fmt.Errorf("generate keys: %w", err)
	}
	public, private, _ := strings.Cut(pair, begin)
	key, err := token.ParsePair(public, begin+private)
	if err != nil {
		return nil, Errorf("DATA_DIR", "%s is broken (%v): restore it, or remove it so that a new pair is generated; access tokens and codes then become invalid, and waiting mails are lost",
			filepath.Join(dir, file), err)
	}
	return key, nil
}
