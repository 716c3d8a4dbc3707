package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"time"
)

// GracePeriod is how long after a rotation the previous token still gets the same
// successor, whatever else has arrived.
const GracePeriod = 10 * time.Second

// TokenFamily is what a store knows of a session's refresh tokens: enough to verify a
// token but not to make one, because it has only a hash of the client secret.
type TokenFamily struct {
	ServerSecret     [32]byte          // with the client secret it makes the tags of tokens
	ClientSecretHash [sha256.Size]byte // see ClientSecret.Hash
	Newest           int64             // number of the newest token that was issued
	NewestSeen       int64             // number of the newest token that is known to have arrived
	RotatedAt        time.Time         // when token Newest was first issued
}

// ClientSecret is the part of a session's refresh tokens that only the client stores.
type ClientSecret [16]byte

// Hash returns what a store may keep of the secret.
func (c ClientSecret) Hash() [sha256.Size]byte {
	return sha256.Sum256(append([]byte("octavo refresh half\x00"), c[:]...))
}

// Outcome says what it means that a client presents a genuine refresh token.
type Outcome uint8

// The outcomes.
const (
	Inactive            Outcome = iota // the session was revoked or has expired
	Rotated                            // the newest token; it now has a successor
	ReusedInGracePeriod                // the previous token, whose successor may not have arrived: it gets the same one again
	ReuseDetected                      // an old token whose successor has arrived: theft
)

// Classify returns the outcome of presenting token n at now, for a user with this
// epoch. A store that lost its last writes may know a smaller newest number than n:
// such a token is genuine and counts as the newest.
func (s Session) Classify(n, epoch int64, now time.Time) Outcome {
	f := s.Family
	switch {
	case !s.Active(epoch, now):
		return Inactive
	case n >= f.Newest:
		return Rotated
	case n == f.Newest-1 && (f.NewestSeen <= n || now.Sub(f.RotatedAt) <= GracePeriod):
		return ReusedInGracePeriod
	}
	return ReuseDetected
}

// Rotate makes n+1 the newest token. The caller must have got Rotated from Classify.
func (s *Session) Rotate(n int64, now time.Time) {
	s.Family.Newest = n + 1
	s.Family.NewestSeen = max(s.Family.NewestSeen, n)
	s.Family.RotatedAt = now
	s.LastUsedAt = now
}

// RefreshToken returns refresh token n for the client with this secret.
func (s Session) RefreshToken(secret ClientSecret, n int64) Token {
	t := Token{User: s.User, Session: s.ID, ClientSecret: secret, Number: n}
	t.Tag = s.Family.tag(t)
	return t
}

// Issued reports in constant time whether a token belongs to this session: a session id
// is public, and a guess must not end a session.
func (s Session) Issued(t Token) bool {
	secret, tag := t.ClientSecret.Hash(), s.Family.tag(t)
	same := subtle.ConstantTimeCompare(secret[:], s.Family.ClientSecretHash[:]) & subtle.ConstantTimeCompare(tag[:], t.Tag[:])
	return same == 1 && t.User == s.User && t.Session == s.ID
}

// tag authenticates the other fields of a token.
func (f TokenFamily) tag(t Token) [16]byte {
	mac := hmac.New(sha256.New, f.ServerSecret[:])
	b := []byte("octavo refresh token\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(t.User))
	b = binary.BigEndian.AppendUint64(b, uint64(t.Session))
	b = append(b, t.ClientSecret[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(t.Number))
	mac.Write(b)
	return [16]byte(mac.Sum(nil))
}
