package webhook

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrSecretForm refuses a secret that begins with whsec_ or whpk_ but is not a base64 key.
	ErrSecretForm = errors.New("webhook: whsec_ and whpk_ must be followed by a base64 key")
	// ErrKeyForm refuses a secret that is not a key of the sender's algorithm and encoding.
	ErrKeyForm = errors.New("webhook: the secret is not a key of the sender's form")
)

// KeyForm is how a secret is written: as its bytes (text, the default), or encoded as
// base64 or hex, with a prefix before it that is no part of the key.
type KeyForm struct{ Encoding, Prefix string }

// SenderKey verifies requests of one sender with one secret. It is safe for concurrent use.
type SenderKey struct {
	sender *Sender
	secret string
	keys   []*schemeKey // of the sender's schemes
}

// schemeKey is the key of one secret for one scheme. Either mac is set, or the algorithm has
// public keys.
type schemeKey struct {
	mac     *macKey
	ed25519 ed25519.PublicKey
	ecdsa   *ecdsa.PublicKey
	private crypto.Signer // of a secret that is a private key
	prefix  string        // of the signatures
	secret  string
	text    [sha256.Size]byte // the hash of the secret without the space around it
	unused  bool              // the secret is not for this scheme
}

// Key makes the key of a secret, which has the sender's form. For Standard, its variants and
// GitLab, whsec_ is followed by the base64 of the key and whpk_ by the base64 of a public
// ed25519 key; any other secret is used as its bytes. The errors are ErrNoSecret for an empty
// secret, ErrSecretForm and ErrKeyForm.
func (s *Sender) Key(secret string) (*SenderKey, error) {
	s = s.orHost()
	k := &SenderKey{sender: s, secret: secret}
	if s.special != nil {
		if secret == "" && s.NeedsSecret() {
			return nil, ErrNoSecret
		}
		return k, nil
	}
	for _, sc := range s.schemes {
		key, err := s.schemeKey(sc, secret)
		if err != nil {
			return nil, err
		}
		k.keys = append(k.keys, key)
	}
	return k, nil
}

func (s *Sender) schemeKey(sc *scheme, secret string) (*schemeKey, error) {
	k := &schemeKey{prefix: sc.signature.Prefix, secret: secret, text: sha256.Sum256([]byte(strings.TrimSpace(secret)))}
	if secret == "" && sc.algorithm != algorithmRSA {
		return nil, ErrNoSecret
	}
	if encoded, ok := strings.CutPrefix(secret, "whpk_"); ok && s.standardKeys {
		if err := k.setPublic(encoded); err != nil {
			return nil, err
		}
		k.prefix, k.unused = "v1a,", sc.algorithm == algorithmToken // a public key is no secret
		return k, nil
	}
	if sc.algorithm == algorithmRSA {
		return k, nil // the certificate has the key
	}
	key, err := s.decodeKey(secret)
	if err != nil {
		return nil, err
	}
	switch sc.algorithm {
	case algorithmToken:
		return k, nil
	case algorithmEd25519:
		return k, k.setEd25519(key)
	case algorithmECDSA:
		return k, k.setECDSA(key)
	}
	k.mac = newMACKey(hashes[sc.algorithm], key)
	return k, nil
}

// decodeKey returns the bytes of the key.
func (s *Sender) decodeKey(secret string) (key []byte, err error) {
	if s.standardKeys {
		encoded, ok := strings.CutPrefix(secret, "whsec_")
		if !ok {
			return []byte(secret), nil
		}
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil || len(key) == 0 {
			return nil, ErrSecretForm
		}
		return key, nil
	}
	text := strings.TrimPrefix(secret, s.keyForm.Prefix)
	switch s.keyForm.Encoding {
	case "base64":
		key, err = base64.StdEncoding.DecodeString(text)
	case "hex":
		key, err = hex.DecodeString(text)
	default:
		key = []byte(text)
	}
	if err != nil || len(key) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrKeyForm, s.keyForm.Encoding)
	}
	return key, nil
}

func (k *schemeKey) setPublic(encoded string) (err error) {
	k.ed25519, err = base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(k.ed25519) != ed25519.PublicKeySize {
		return fmt.Errorf("%w, of %d bytes", ErrSecretForm, ed25519.PublicKeySize)
	}
	return nil
}

// setEd25519 takes a public key, or a private one, with which the sender can also sign.
func (k *schemeKey) setEd25519(key []byte) error {
	switch len(key) {
	case ed25519.PublicKeySize:
		k.ed25519 = key
		return nil
	case ed25519.PrivateKeySize:
		private := ed25519.NewKeyFromSeed(key[:ed25519.SeedSize])
		if bytes.Equal(private, key) {
			k.private, k.ed25519 = private, private.Public().(ed25519.PublicKey)
			return nil
		}
	}
	return fmt.Errorf("%w: an ed25519 key has %d bytes", ErrKeyForm, ed25519.PublicKeySize)
}

// setECDSA takes a public key on P-256 in DER, or the 32 bytes of a private one.
func (k *schemeKey) setECDSA(key []byte) (err error) {
	if point, ok := bytes.CutPrefix(key, p256Header); ok {
		k.ecdsa, err = ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	} else {
		var private *ecdsa.PrivateKey
		if private, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), key); err == nil {
			k.private, k.ecdsa = private, &private.PublicKey
		}
	}
	if err != nil {
		return fmt.Errorf("%w: a public ECDSA key on P-256 in DER", ErrKeyForm)
	}
	return nil
}

// Verify reports whether the request was signed with the secret and, if the signature has
// a timestamp, within the tolerance. It compares in constant time. The result for a
// malformed signature is false.
func (k *SenderKey) Verify(r Request, now time.Time) bool { return k.Check(r, now) == nil }

// Check is Verify that says why not: the error is ErrSignature, or ErrTimestamp for a
// signature that is right but made at another time.
func (k *SenderKey) Check(r Request, now time.Time) error {
	s := k.sender
	if s.special != nil {
		return s.special.check(k, r, now)
	}
	i := s.schemeOf(r)
	if s.extra != nil && !s.extra(r) {
		return ErrSignature
	}
	return s.schemes[i].check(k.keys[i], r, now, s.tolerance)
}

// isToken compares hashes, so that not even the length of the secret can be measured. It
// ignores space around either, because HTTP removes it from a header.
func (k *schemeKey) isToken(tokens []string) bool {
	matched := false
	for _, token := range tokens {
		if token = strings.TrimSpace(token); token == "" {
			continue
		}
		given := sha256.Sum256([]byte(token))
		matched = subtle.ConstantTimeCompare(given[:], k.text[:]) == 1 || matched
	}
	return matched && !k.unused
}

// matchesPublic reports whether one of the signatures of the message is right.
func (k *schemeKey) matchesPublic(sc *scheme, r Request, message []byte, found *texts) bool {
	var buffer [maxDecoded]byte
	for _, text := range found.list[:found.n] {
		if k.isSignature(r, message, sc.signature.decode(text, &buffer)) {
			return true
		}
	}
	return false
}

func (k *schemeKey) isSignature(r Request, message, given []byte) bool {
	switch {
	case k.ed25519 != nil:
		return len(given) == ed25519.SignatureSize && ed25519.Verify(k.ed25519, message, given)
	case k.ecdsa != nil:
		digest := sha256.Sum256(message)
		return ecdsa.VerifyASN1(k.ecdsa, digest[:], given)
	}
	return isRSA(r, crypto.SHA256, message, given)
}

// isRSA verifies a signature by the certificate of the request.
func isRSA(r Request, algorithm crypto.Hash, message, given []byte) bool {
	public, ok := r.PublicKey.(*rsa.PublicKey)
	if !ok {
		return false
	}
	digest := algorithm.New()
	digest.Write(message)
	return rsa.VerifyPKCS1v15(public, algorithm, digest.Sum(nil), given) == nil
}
