// Package pushservice is a push service for tests, and the browser behind it. It decrypts messages as RFC 8291 and RFC 8188
// say, with the standard library alone, and verifies who sends them as RFC 8292 says.
package pushservice

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// Browser is a browser with a subscription.
type Browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

// NewBrowser returns a browser with a private key and a secret.
func NewBrowser(private, auth []byte) (Browser, error) {
	key, err := ecdh.P256().NewPrivateKey(private)
	return Browser{key, auth}, err
}

// Keys returns the public key and the secret in base64url, as PushSubscription.toJSON does.
func (b Browser) Keys() (p256dh, auth string) {
	return base64.RawURLEncoding.EncodeToString(b.private.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(b.auth)
}

// The header of RFC 8188, section 2.1, and what delimits the last record.
const (
	saltBytes, sizeBytes = 16, 4
	keyBytes, nonceBytes = 16, 12
	lastRecord           = 2
)

// Decrypt returns the text of the one record of a message.
func (b Browser) Decrypt(message []byte) ([]byte, error) {
	if len(message) < saltBytes+sizeBytes+1 {
		return nil, errors.New("the header is cut")
	}
	salt, size := message[:saltBytes], binary.BigEndian.Uint32(message[saltBytes:])
	rest := message[saltBytes+sizeBytes:]
	length := int(rest[0])
	if len(rest) < 1+length || uint64(len(rest)-1-length) > uint64(size) {
		return nil, fmt.Errorf("a record of %d bytes is longer than %d", len(rest)-1-length, size)
	}
	sender, record := rest[1:1+length], rest[1+length:]
	key, nonce, err := b.derive(sender, salt)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	padded, err := aead.Open(nil, nonce, record, nil)
	if err != nil {
		return nil, err
	}
	for len(padded) > 0 && padded[len(padded)-1] == 0 {
		padded = padded[:len(padded)-1]
	}
	if len(padded) == 0 || padded[len(padded)-1] != lastRecord {
		return nil, errors.New("the last record does not end as one")
	}
	return padded[:len(padded)-1], nil
}

// derive returns the content encryption key and the nonce (RFC 8291, section 3.4).
func (b Browser) derive(sender, salt []byte) (key, nonce []byte, err error) {
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, nil, err
	}
	shared, err := b.private.ECDH(public)
	if err != nil {
		return nil, nil, err
	}
	info := append([]byte("WebPush: info\x00"), b.private.PublicKey().Bytes()...)
	input, err := hkdf.Key(sha256.New, shared, b.auth, string(append(info, sender...)), sha256.Size)
	if err != nil {
		return nil, nil, err
	}
	if key, err = hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", keyBytes); err != nil {
		return nil, nil, err
	}
	nonce, err = hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", nonceBytes)
	return key, nonce, err
}
