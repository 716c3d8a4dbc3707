// Package seal encrypts values that must not be readable in a copy of the database.
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

// ErrBroken is returned for anything that the same Box has not sealed: truncated,
// modified, or sealed with another key or for another purpose.
var ErrBroken = errors.New("seal is broken")

// Box encrypts with AES-256-GCM. It is safe for concurrent use.
type Box struct {
	aead     cipher.AEAD
	previous []cipher.AEAD
}

// New returns a Box whose key is derived from a private key for one purpose. A box of
// another purpose cannot open what it seals. The box also opens what boxes of the previous
// keys have sealed for the same purpose.
func New(key *ecdsa.PrivateKey, purpose string, previous ...*ecdsa.PrivateKey) (*Box, error) {
	aead, err := newAEAD(key, purpose)
	if err != nil {
		return nil, err
	}
	b := &Box{aead: aead}
	for _, old := range previous {
		if aead, err = newAEAD(old, purpose); err != nil {
			return nil, err
		}
		b.previous = append(b.previous, aead)
	}
	return b, nil
}

// DeriveKey returns 32 bytes that follow from a private key, for one purpose.
func DeriveKey(key *ecdsa.PrivateKey, purpose string) ([]byte, error) {
	secret, err := key.Bytes()
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	return hkdf.Key(sha256.New, secret, nil, "octavo seal: "+purpose, 32)
}

func newAEAD(key *ecdsa.PrivateKey, purpose string) (cipher.AEAD, error) {
	derived, err := DeriveKey(key, purpose)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal encrypts plain with a random nonce. The result is 28 bytes longer.
func (b *Box) Seal(plain []byte) ([]byte, error) {
	return b.aead.Seal(nil, nil, plain, nil), nil //nolint:gosec // this AEAD generates the nonce itself
}

// Open decrypts the result of Seal, or returns ErrBroken.
func (b *Box) Open(sealed []byte) ([]byte, error) {
	plain, err := b.aead.Open(nil, nil, sealed, nil)
	for i := 0; err != nil && i < len(b.previous); i++ {
		plain, err = b.previous[i].Open(nil, nil, sealed, nil)
	}
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}
