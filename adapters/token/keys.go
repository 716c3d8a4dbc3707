package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// The errors about keys. None quotes a key.
var (
	ErrPrivateKey = errors.New("a private key must be one PKCS#8 PEM block with a P-521 key")
	ErrPublicKey  = errors.New("a public key must be a SPKI PEM block with a P-521 key")
	ErrPair       = errors.New("the public and the private key are not a pair")
)

const (
	privateBlock = "PRIVATE KEY"
	publicBlock  = "PUBLIC KEY"
)

// Generate returns a new key pair as PEM text.
func Generate() (public, private string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	return Encode(key)
}

// Encode returns a key pair as PEM text: SPKI and PKCS#8.
func Encode(key *ecdsa.PrivateKey) (public, private string, err error) {
	spki, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return "", "", err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", "", err
	}
	public = string(pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: spki}))
	private = string(pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: pkcs8}))
	return public, private, nil
}

// ParsePair parses a key pair from PEM text, in which `\n` may replace a newline, and
// checks that the keys match. The error is ErrPublicKey, ErrPrivateKey or ErrPair.
func ParsePair(public, private string) (*ecdsa.PrivateKey, error) {
	keys, err := ParsePublic(public)
	if err != nil || len(keys) != 1 {
		return nil, ErrPublicKey
	}
	parsed, err := ParsePrivate(private)
	if err != nil || len(parsed) != 1 {
		return nil, ErrPrivateKey
	}
	if !parsed[0].PublicKey.Equal(keys[0]) {
		return nil, ErrPair
	}
	return parsed[0], nil
}

// ParsePrivate parses any number of private keys, as concatenated PEM blocks.
func ParsePrivate(text string) ([]*ecdsa.PrivateKey, error) {
	var keys []*ecdsa.PrivateKey
	rest := []byte(newlines(text))
	for len(strings.TrimSpace(string(rest))) > 0 {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != privateBlock {
			return nil, ErrPrivateKey
		}
		parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		key, ok := parsed.(*ecdsa.PrivateKey)
		if err != nil || !ok || key.Curve != elliptic.P521() {
			return nil, ErrPrivateKey
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// ParsePublic parses any number of public keys, as concatenated PEM blocks.
func ParsePublic(text string) ([]*ecdsa.PublicKey, error) {
	var keys []*ecdsa.PublicKey
	rest := []byte(newlines(text))
	for len(strings.TrimSpace(string(rest))) > 0 {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != publicBlock {
			return nil, ErrPublicKey
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(*ecdsa.PublicKey)
		if err != nil || !ok || key.Curve != elliptic.P521() {
			return nil, ErrPublicKey
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func newlines(s string) string { return strings.ReplaceAll(s, `\n`, "\n") }

// DeriveSecret derives a secret for one purpose from a private key.
func DeriveSecret(key *ecdsa.PrivateKey, purpose string) ([32]byte, error) {
	secret, err := key.Bytes()
	if err != nil {
		return [32]byte{}, fmt.Errorf("private key: %w", err)
	}
	derived, err := hkdf.Key(sha256.New, secret, nil, "octavo secret: "+purpose, 32)
	if err != nil {
		return [32]byte{}, err
	}
	return [32]byte(derived), nil
}

// jwk is a public key in a JWKS document (RFC 7517).
type jwk struct {
	Curve string `json:"crv"`
	Type  string `json:"kty"`
	X     string `json:"x"`
	Y     string `json:"y"`
	ID    string `json:"kid,omitempty"`
	Use   string `json:"use,omitempty"`
	Alg   string `json:"alg,omitempty"`
}

// toJWK returns a key with its thumbprint (RFC 7638) as its id. The thumbprint's input
// is the required members in alphabetical order.
func toJWK(key *ecdsa.PublicKey) (jwk, error) {
	point, err := key.Bytes()
	if err != nil {
		return jwk{}, fmt.Errorf("public key: %w", err)
	}
	half := (len(point) - 1) / 2
	k := jwk{
		Curve: "P-521", Type: "EC",
		X: base64.RawURLEncoding.EncodeToString(point[1 : 1+half]),
		Y: base64.RawURLEncoding.EncodeToString(point[1+half:]),
	}
	canonical, err := json.Marshal(k)
	if err != nil {
		return jwk{}, err
	}
	sum := sha256.Sum256(canonical)
	k.ID, k.Use, k.Alg = base64.RawURLEncoding.EncodeToString(sum[:]), "sig", algorithm
	return k, nil
}
