package token

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
)

// ErrRSAKey is returned for anything but a key for RS256. It does not quote the key.
var ErrRSAKey = errors.New("the key must be one PKCS#8 PEM block with an RSA key of 2,048 bits or more")

const rsaBits = 2048

// GenerateRSA returns a new key for RS256 as PEM text.
func GenerateRSA() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, rsaBits)
	if err != nil {
		return "", err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	return string(pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: pkcs8})), err
}

// ParseRSA parses a key for RS256 from PEM text, in which `\n` may replace a newline.
func ParseRSA(text string) (*rsa.PrivateKey, error) {
	block, rest := pem.Decode([]byte(newlines(text)))
	if block == nil || block.Type != privateBlock || strings.TrimSpace(string(rest)) != "" {
		return nil, ErrRSAKey
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(*rsa.PrivateKey)
	if err != nil || !ok || key.N.BitLen() < rsaBits || key.Validate() != nil {
		return nil, ErrRSAKey
	}
	return key, nil
}

// ErrRSAPublicKey is ErrRSAKey for keys that only verify.
var ErrRSAPublicKey = errors.New("the keys must be SPKI or PKCS#8 PEM blocks with RSA keys of 2,048 bits or more")

// ParseRSAPublic parses any number of keys that verify RS256, as concatenated PEM blocks. Of a private
// key it takes the public part, so that the one of before needs no conversion.
func ParseRSAPublic(text string) (keys []*rsa.PublicKey, err error) {
	rest := []byte(newlines(text))
	for len(strings.TrimSpace(string(rest))) > 0 {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, ErrRSAPublicKey
		}
		key, err := rsaPublic(block)
		if err != nil || key.N.BitLen() < rsaBits {
			return nil, ErrRSAPublicKey
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func rsaPublic(block *pem.Block) (*rsa.PublicKey, error) {
	switch block.Type {
	case publicBlock:
		if parsed, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			if key, ok := parsed.(*rsa.PublicKey); ok {
				return key, nil
			}
		}
	case privateBlock:
		if key, err := ParseRSA(string(pem.EncodeToMemory(block))); err == nil {
			return &key.PublicKey, nil
		}
	}
	return nil, ErrRSAPublicKey
}

// rsaJWK is a public RSA key in a JWKS document.
type rsaJWK struct {
	Exponent string `json:"e"`
	Type     string `json:"kty"`
	Modulus  string `json:"n"`
	ID       string `json:"kid,omitempty"`
	Use      string `json:"use,omitempty"`
	Alg      string `json:"alg,omitempty"`
}

// toRSAJWK is toJWK for RSA.
func toRSAJWK(key *rsa.PublicKey) rsaJWK {
	k := rsaJWK{Exponent: encode(big.NewInt(int64(key.E)).Bytes()), Type: "RSA", Modulus: encode(key.N.Bytes())}
	canonical, _ := json.Marshal(k) // strings always marshal
	sum := sha256.Sum256(canonical)
	k.ID, k.Use, k.Alg = encode(sum[:]), "sig", "RS256"
	return k
}
