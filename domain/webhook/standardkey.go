package webhook

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// StandardSigner signs as Standard Webhooks does, with a shared secret. It is safe for
// concurrent use.
type StandardSigner struct{ mac *Key }

// NewStandardSigner makes a signer: whsec_ is followed by the base64 of the key, any other
// secret is used as its bytes. The error is ErrNoSecret, or ErrSecretForm for a whsec_ that
// is not followed by base64 and for a whpk_, because a public key cannot sign.
func NewStandardSigner(secret string) (*StandardSigner, error) {
	key, err := Standard.decodeKey(secret)
	switch {
	case secret == "":
		return nil, ErrNoSecret
	case err != nil:
		return nil, err
	case strings.HasPrefix(secret, "whpk_"):
		return nil, ErrSecretForm
	}
	return &StandardSigner{&Key{newMACKey(sha256.New, key)}}, nil
}

// NewStandardSignerOf makes a signer of a key.
func NewStandardSignerOf(key *Key) *StandardSigner { return &StandardSigner{key} }

// Sign returns the values of the headers webhook-timestamp and webhook-signature.
func (s *StandardSigner) Sign(id string, at time.Time, payload []byte) (timestamp, signature string) {
	timestamp = strconv.FormatInt(at.Unix(), 10)
	sum := s.mac.signAfter(id+"."+timestamp+".", payload)
	return timestamp, "v1," + base64.StdEncoding.EncodeToString(sum[:])
}
