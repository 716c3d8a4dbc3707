package openid

import (
	"crypto/sha256"
	"crypto/subtle"
	"time"
)

// SecretHash is what a store keeps of a client's secret. A secret has 256 random bits, so that
// a fast hash suffices.
type SecretHash [sha256.Size]byte

// HashSecret returns the hash of a client's secret.
func HashSecret(secret string) SecretHash {
	return sha256.Sum256([]byte("octavo client secret\x00" + secret))
}

// MaxOverlap is how long a replaced secret may go on working.
const MaxOverlap = 7 * 24 * time.Hour

// Authenticate returns ErrInvalidClient unless the secret is the client's at now, or the one before
// as long as it overlaps. A public client has none and must present none.
func (c Client) Authenticate(secret string, now time.Time) error {
	hash := HashSecret(secret)
	right := subtle.ConstantTimeCompare(hash[:], c.SecretHash[:])
	if now.Before(c.PreviousSecretUntil) {
		right |= subtle.ConstantTimeCompare(hash[:], c.PreviousSecretHash[:])
	}
	if c.Public && secret == "" || !c.Public && right == 1 {
		return nil
	}
	return ErrInvalidClient
}

// RenewSecret replaces the secret at now; the one before works for the overlap. Of the secrets
// before that, none works any more.
func (c *Client) RenewSecret(hash SecretHash, now time.Time, overlap time.Duration) error {
	switch {
	case c.Public:
		return ErrClientPublic
	case overlap < 0 || overlap > MaxOverlap:
		return ErrOverlap
	}
	c.PreviousSecretHash, c.PreviousSecretUntil = SecretHash{}, time.Time{}
	if overlap > 0 {
		c.PreviousSecretHash, c.PreviousSecretUntil = c.SecretHash, now.Add(overlap)
	}
	c.SecretHash = hash
	return nil
}
