package samlsp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net/url"
	"time"
)

// certificateOf returns a certificate that signs itself. In SAML it is but the shape in which metadata
// name a key. It follows from the key and the address, so that all replicas have the same one.
func certificateOf(key *rsa.PrivateKey, base string) (*x509.Certificate, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	serial := sha256.Sum256(x509.MarshalPKCS1PublicKey(&key.PublicKey))
	serial[0] &= 0x7f
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial[:16]), Subject: pkix.Name{CommonName: u.Hostname()},
		NotBefore: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(2049, time.December, 31, 0, 0, 0, 0, time.UTC),
		KeyUsage:  x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, SignatureAlgorithm: x509.SHA256WithRSA,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key) // PKCS #1 v1.5 uses no randomness
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}
