// Package seal encrypts what must not be readable in a dump of the database.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrBroken is what opening anything returns that the same Box has not sealed:
// it was cut, changed, or made under another key or for another purpose.
var ErrBroken = errors.New("seal is broken")

// Box seals and opens with AES-256-GCM. It is safe for many goroutines.
type Box struct{ aead cipher.AEAD }

// New derives a key from a private key for one purpose; what a box seals, no box
// of another purpose opens.
func New(key *ecdsa.PrivateKey, purpose string) (*Box, error) {
	secret, err := key.Bytes()
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	derived, err := hkdf.Key(sha256.New, secret, nil, "octavo seal: "+purpose, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

// Seal encrypts plain; the result is 28 bytes longer and differs every time.
func (b *Box) Seal(plain []byte) ([]byte, error) {
	return b.aead.Seal(nil, nil, plain, nil), nil //nolint:gosec // it makes a random nonce itself
}

// Open gives back what was sealed, or ErrBroken.
func (b *Box) Open(sealed []byte) ([]byte, error) {
	plain, err := b.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}
