package webhook

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrSecretForm refuses a secret that begins with whsec_ or whpk_ but is not a base64 key.
var ErrSecretForm = errors.New("webhook: whsec_ and whpk_ must be followed by a base64 key")

// SenderKey verifies requests of one sender with one secret. It is safe for concurrent use.
type SenderKey struct {
	sender *Sender
	mac    *Key
	public ed25519.PublicKey // instead of mac, for whpk_
	secret string            // as it was given, to send it as a token
	text   [sha256.Size]byte // its hash, without the space around it
}

// Key makes the key of a secret. For Standard and GitLab, whsec_ is followed by the
// base64 of the key and whpk_ by the base64 of a public ed25519 key; any other secret is
// used as its bytes. The error is ErrNoSecret for an empty secret, or ErrSecretForm.
func (s *Sender) Key(secret string) (*SenderKey, error) {
	s = s.orHost()
	k := &SenderKey{sender: s, secret: secret, text: sha256.Sum256([]byte(strings.TrimSpace(secret)))}
	var err error
	if encoded, ok := strings.CutPrefix(secret, "whpk_"); ok && s.encoded {
		k.public, err = base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(k.public) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("%w, of %d bytes", ErrSecretForm, ed25519.PublicKeySize)
		}
		return k, nil
	}
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok && s.encoded {
		decoded, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(decoded) == 0 {
			return nil, ErrSecretForm
		}
		secret = string(decoded)
	}
	k.mac, err = NewKey(secret)
	return k, err
}

// Verify reports whether the request was signed with the secret and, if the signature has
// a timestamp, within the tolerance. It compares in constant time. The result for a
// malformed signature is false.
func (k *SenderKey) Verify(r Request, now time.Time) bool { return k.sender.verify(k, r, now) }

// isToken compares hashes, so that not even the length of the secret can be measured. It
// ignores space around either, because HTTP removes it from a header.
func (k *SenderKey) isToken(token string) bool {
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(given[:], k.text[:]) == 1
}
