package token

import (
	"crypto/ecdsa"
	"crypto/rsa"
)

// Fingerprint returns the thumbprint (RFC 7638) of a public key, which is its id in the key set.
func Fingerprint(key *ecdsa.PublicKey) (string, error) {
	k, err := toJWK(key)
	return k.ID, err
}

// FingerprintRSA is Fingerprint for the key of ID tokens.
func FingerprintRSA(key *rsa.PublicKey) string { return toRSAJWK(key).ID }
