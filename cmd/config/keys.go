package config

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

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

// OIDCKeyFile holds the generated key of ID tokens, in DATA_DIR.
const OIDCKeyFile = "oidc-signing-key.pem"

// GenerateOIDCKey prints a new key for ID tokens as a line of an env file.
func GenerateOIDCKey(out io.Writer) error {
	key, err := token.GenerateRSA()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "OIDC_SIGNING_KEY=\"%s\"\n", strings.ReplaceAll(key, "\n", `\n`))
	return err
}

// SAMLKeyFile holds the generated key for SAML, in DATA_DIR.
const SAMLKeyFile = "saml-key.pem"

// GenerateSAMLKey prints a new key for SAML as a line of an env file.
func GenerateSAMLKey(out io.Writer) error {
	key, err := token.GenerateRSA()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "SAML_KEY=\"%s\"\n", strings.ReplaceAll(key, "\n", `\n`))
	return err
}

// ServiceKey returns the RSA key with which SAML providers know this service. Without one in the
// settings development generates it in DATA_DIR; production is refused.
func (s *Settings) ServiceKey() (*rsa.PrivateKey, error) {
	text := s.Identity.SAMLKey
	switch {
	case text == "" && s.Production():
		return nil, Errorf("SAML_KEY", "set the key that signs SAML requests: `octavo keys generate --saml` makes one")
	case text == "":
		var err error
		if text, err = loadOrCreate(s.Storage.DataDir, SAMLKeyFile, token.GenerateRSA); err != nil {
			return nil, fmt.Errorf("generate the key for SAML: %w", err)
		}
	}
	key, err := token.ParseRSA(text)
	switch {
	case err != nil && s.Identity.SAMLKey != "":
		return nil, Errorf("SAML_KEY", "%v", err)
	case err != nil:
		return nil, Errorf("DATA_DIR", "%s is broken (%v): restore it, or remove it so that a new key is generated, which providers must then be told", filepath.Join(s.Storage.DataDir, SAMLKeyFile), err)
	}
	return key, nil
}

// OtherServiceKeys returns the keys that are in the metadata for SAML providers besides ServiceKey.
func (s *Settings) OtherServiceKeys() ([]*rsa.PrivateKey, error) {
	keys, err := token.ParseRSAKeys(s.Identity.SAMLOtherKeys)
	if err != nil {
		return nil, Errorf("SAML_OTHER_KEYS", "%v", err)
	}
	return keys, nil
}

// IDTokenKey returns the RSA key of the settings. Without one, development generates it in
// DATA_DIR, and production returns nil.
func (s *Settings) IDTokenKey() (*rsa.PrivateKey, error) {
	text := s.Identity.OIDCSigningKey
	if text == "" && s.Production() {
		return nil, nil
	}
	if text != "" {
		key, err := token.ParseRSA(text)
		if err != nil {
			return nil, Errorf("OIDC_SIGNING_KEY", "%v", err)
		}
		return key, nil
	}
	text, err := loadOrCreate(s.Storage.DataDir, OIDCKeyFile, token.GenerateRSA)
	if err != nil {
		return nil, fmt.Errorf("generate the key of ID tokens: %w", err)
	}
	key, err := token.ParseRSA(text)
	if err != nil {
		return nil, Errorf("DATA_DIR", "%s is broken (%v): restore it, or remove it so that a new key is generated", filepath.Join(s.Storage.DataDir, OIDCKeyFile), err)
	}
	return key, nil
}

// OtherIDTokenKeys parses NEXT_OIDC_KEY and PREVIOUS_OIDC_KEYS: keys of ID tokens that are published
// and verify, but do not sign.
func (s *Settings) OtherIDTokenKeys() ([]*rsa.PublicKey, error) {
	previous, err := token.ParseRSAPublic(s.Identity.PreviousOIDCKeys)
	if err != nil {
		return nil, Errorf("PREVIOUS_OIDC_KEYS", "%v", err)
	}
	if s.Identity.NextOIDCKey == "" {
		return previous, nil
	}
	next, err := token.ParseRSA(s.Identity.NextOIDCKey)
	if err != nil {
		return nil, Errorf("NEXT_OIDC_KEY", "%v", err)
	}
	return append([]*rsa.PublicKey{&next.PublicKey}, previous...), nil
}

// CachedIDTokenKey returns a function that returns IDTokenKey and reads or makes it once.
func (s *Settings) CachedIDTokenKey() func() (*rsa.PrivateKey, error) {
	return sync.OnceValues(s.IDTokenKey)
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

// PreviousSecretKeys parses the private keys that still decrypt secrets which are stored for
// years.
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
		return nil, Errorf("DATA_DIR", "%s is broken (%v): restore it, or remove it so that a new pair is generated; access tokens and codes then become invalid, second factors cannot be checked, and waiting mails are lost",
			filepath.Join(dir, file), err)
	}
	return key, nil
}
