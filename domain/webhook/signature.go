package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

var (
	// ErrNoSecret refuses an empty secret, because anyone could sign with it.
	ErrNoSecret = errors.New("webhook: the secret is empty")
	// ErrSignatureForm refuses text that is not a signature.
	ErrSignatureForm = errors.New("webhook: a signature is sha256= and 64 lower-case hexadecimal digits")
)

const signaturePrefix = "sha256="

// Signature is the HMAC-SHA-256 of a payload. Its text form is "sha256=" and 64
// lower-case hexadecimal digits.
type Signature [sha256.Size]byte

// ParseSignature parses exactly the text form: no other algorithm, no upper-case digits,
// no surrounding space. The error is ErrSignatureForm.
func ParseSignature(text string) (s Signature, err error) {
	digits, ok := strings.CutPrefix(text, signaturePrefix)
	if !ok || len(digits) != hex.EncodedLen(len(s)) || decodeHex(digits, s[:]) == nil {
		return Signature{}, ErrSignatureForm
	}
	return s, nil
}

// nibble returns the value of a lower-case hexadecimal digit, more than 15 for any other
// byte.
func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// String returns the text form.
func (s Signature) String() string {
	return signaturePrefix + hex.EncodeToString(s[:])
}

// Key signs and verifies with one secret. It is safe for concurrent use and reuses HMAC
// states, so that signing costs only the hashing of the payload.
type Key struct{ mac *macKey }

// NewKey makes the key of a secret. The error for an empty secret is ErrNoSecret.
func NewKey(secret string) (*Key, error) {
	if secret == "" {
		return nil, ErrNoSecret
	}
	return &Key{newMACKey(sha256.New, []byte(secret))}, nil
}

// Sign returns the signature of payload.
func (k *Key) Sign(payload []byte) Signature { return k.signAfter("", payload) }

// signAfter returns the signature of prefix followed by payload.
func (k *Key) signAfter(prefix string, payload []byte) Signature {
	state := k.mac.get()
	defer k.mac.put(state)
	if prefix != "" {
		state.text(prefix)
	}
	state.Write(payload)
	return Signature(state.result())
}

// Verify reports, in constant time, whether s is the signature of payload.
func (k *Key) Verify(payload []byte, s Signature) bool {
	want := k.Sign(payload)
	return hmac.Equal(want[:], s[:])
}
