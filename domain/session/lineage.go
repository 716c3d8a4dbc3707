package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"time"
)

// Grace is how long after a rotation the token before it is answered with the
// same successor in any case.
const Grace = 10 * time.Second

// Lineage is what a store keeps of a session's refresh tokens: enough to check
// one, not enough to make one, because the client's half is kept as a hash only.
type Lineage struct {
	Secret    [32]byte          // makes the tags of tokens, together with the client's half
	Half      [sha256.Size]byte // hash of the client's half
	N         int64             // the newest token that was issued
	SeenN     int64             // the newest token that is known to have arrived
	RotatedAt time.Time         // when token N was issued first
}

// Half is the part of a session's refresh tokens that only the client holds.
type Half [16]byte

// Hash is what a store keeps of the half.
func (h Half) Hash() [sha256.Size]byte {
	return sha256.Sum256(append([]byte("octavo refresh half\x00"), h[:]...))
}

// Outcome says what the presenting of a genuine refresh token means.
type Outcome uint8

// The outcomes.
const (
	Dead    Outcome = iota // the session has ended or expired
	Rotated                // the newest token: it is used up and has a successor now
	Graced                 // the token before, of which the successor may not have arrived: the same successor
	Reused                 // an old token although its successor has arrived: theft
)

// Judge says what presenting token n at now means, for a user with the epoch.
// Where a store has lost its last writes n may be newer than the store knows:
// such a token is genuine, and taken for the newest.
func (s Session) Judge(n, epoch int64, now time.Time) Outcome {
	l := s.Lineage
	switch {
	case !s.Live(epoch, now):
		return Dead
	case n >= l.N:
		return Rotated
	case n == l.N-1 && (l.SeenN <= n || now.Sub(l.RotatedAt) <= Grace):
		return Graced
	}
	return Reused
}

// Rotate uses up token n, which Judge found to be the newest.
func (s *Session) Rotate(n int64, now time.Time) {
	s.Lineage.N = n + 1
	s.Lineage.SeenN = max(s.Lineage.SeenN, n)
	s.Lineage.RotatedAt = now
	s.LastSeenAt = now
}

// Token makes refresh token n for the client that holds half.
func (s Session) Token(half Half, n int64) Token {
	t := Token{User: s.User, Session: s.ID, Half: half, N: n}
	t.Tag = s.Lineage.tag(t)
	return t
}

// Issued reports, in constant time, whether the token is one of this session's:
// a session id is public, and a guess must not end a session.
func (s Session) Issued(t Token) bool {
	half, tag := t.Half.Hash(), s.Lineage.tag(t)
	same := subtle.ConstantTimeCompare(half[:], s.Lineage.Half[:]) & subtle.ConstantTimeCompare(tag[:], t.Tag[:])
	return same == 1 && t.User == s.User && t.Session == s.ID
}

func (l Lineage) tag(t Token) [16]byte {
	mac := hmac.New(sha256.New, l.Secret[:])
	b := []byte("octavo refresh token\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(t.User))
	b = binary.BigEndian.AppendUint64(b, uint64(t.Session))
	b = append(b, t.Half[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(t.N))
	mac.Write(b)
	return [16]byte(mac.Sum(nil))
}
