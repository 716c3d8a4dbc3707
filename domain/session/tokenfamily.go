package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"time"
)

// GracePeriod is how long after a rotation the token before it is answered with the
// same successor in any case.
const GracePeriod = 10 * time.Second

// TokenFamily is what a store keeps of a session's refresh tokens: enough to check
// one, not enough to make one, because the client's half is kept as a hash only.
type TokenFamily struct {
	ServerSecret     [32]byte          // makes the tags of tokens, together with the client's half
	ClientSecretHash [sha256.Size]byte // hash of the client's half
	Newest           int64             // the newest token that was issued
	NewestSeen       int64             // the newest token that is known to have arrived
	RotatedAt        time.Time         // when token N was issued first
}

// ClientSecret is the part of a session's refresh tokens that only the client holds.
type ClientSecret [16]byte

// Hash is what a store keeps of the half.
func (h ClientSecret) Hash() [sha256.Size]byte {
	return sha256.Sum256(append([]byte("octavo refresh half\x00"), h[:]...))
}

// Outcome says what the presenting of a genuine refresh token means.
type Outcome uint8

// The outcomes.
const (
	Inactive            Outcome = iota // the session has ended or expired
	Rotated                            // the newest token: it is used up and has a successor now
	ReusedInGracePeriod                // the token before, of which the successor may not have arrived: the same successor
	ReuseDetected                      // an old token although its successor has arrived: theft
)

// Classify says what presenting token n at now means, for a user with the epoch.
// Where a store has lost its last writes n may be newer than the store knows:
// such a token is genuine, and taken for the newest.
func (s Session) Classify(n, epoch int64, now time.Time) Outcome {
	l := s.Family
	switch {
	case !s.Active(epoch, now):
		return Inactive
	case n >= l.Newest:
		return Rotated
	case n == l.Newest-1 && (l.NewestSeen <= n || now.Sub(l.RotatedAt) <= GracePeriod):
		return ReusedInGracePeriod
	}
	return ReuseDetected
}

// Rotate uses up token n, which Judge found to be the newest.
func (s *Session) Rotate(n int64, now time.Time) {
	s.Family.Newest = n + 1
	s.Family.NewestSeen = max(s.Family.NewestSeen, n)
	s.Family.RotatedAt = now
	s.LastUsedAt = now
}

// RefreshToken makes refresh token n for the client that holds half.
func (s Session) RefreshToken(half ClientSecret, n int64) Token {
	t := Token{User: s.User, Session: s.ID, ClientSecret: half, Number: n}
	t.Tag = s.Family.tag(t)
	return t
}

// Issued reports, in constant time, whether the token is one of this session's:
// a session id is public, and a guess must not end a session.
func (s Session) Issued(t Token) bool {
	half, tag := t.ClientSecret.Hash(), s.Family.tag(t)
	same := subtle.ConstantTimeCompare(half[:], s.Family.ClientSecretHash[:]) & subtle.ConstantTimeCompare(tag[:], t.Tag[:])
	return same == 1 && t.User == s.User && t.Session == s.ID
}

func (l TokenFamily) tag(t Token) [16]byte {
	mac := hmac.New(sha256.New, l.ServerSecret[:])
	b := []byte("octavo refresh token\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(t.User))
	b = binary.BigEndian.AppendUint64(b, uint64(t.Session))
	b = append(b, t.ClientSecret[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(t.Number))
	mac.Write(b)
	return [16]byte(mac.Sum(nil))
}
