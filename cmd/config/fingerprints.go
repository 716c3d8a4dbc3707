package config

import (
	"crypto/ecdsa"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/token"
)

// Fingerprints returns those of the keys in use, by the names of their settings, and those of
// PREVIOUS_PRIVATE_KEYS. It makes no key: one that development has not made yet is missing.
func (s *Settings) Fingerprints() (current map[string]string, previous []string, err error) {
	current = map[string]string{}
	if s.Identity.PrivateKey != "" || !FileMissing(filepath.Join(s.Storage.DataDir, KeysFile)) {
		key, err := s.SigningKey()
		if err != nil {
			return nil, nil, err
		}
		if current["PRIVATE_KEY"], err = token.Fingerprint(&key.PublicKey); err != nil {
			return nil, nil, err
		}
	}
	if s.Identity.OIDCSigningKey != "" || !FileMissing(filepath.Join(s.Storage.DataDir, OIDCKeyFile)) {
		key, err := s.IDTokenKey()
		if err != nil {
			return nil, nil, err
		}
		if key != nil {
			current["OIDC_SIGNING_KEY"] = token.FingerprintRSA(&key.PublicKey)
		}
	}
	old, err := s.PreviousSecretKeys()
	if err != nil {
		return nil, nil, err
	}
	for _, key := range old {
		fingerprint, err := token.Fingerprint(&key.PublicKey)
		if err != nil {
			return nil, nil, err
		}
		previous = append(previous, fingerprint)
	}
	return current, previous, nil
}

// SecretKeys returns the key that seals secrets which are stored for years, and the previous ones
// that still open them.
func (s *Settings) SecretKeys() (current *ecdsa.PrivateKey, previous []*ecdsa.PrivateKey, err error) {
	if current, err = s.SigningKey(); err != nil {
		return nil, nil, err
	}
	previous, err = s.PreviousSecretKeys()
	return current, previous, err
}
