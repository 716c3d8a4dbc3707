package challenge

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Purpose is what a code or link is good for, and nothing else.
type Purpose string

// The purposes.
const (
	SignUpCode    Purpose = "signup_code"
	SignUpLink    Purpose = "signup_link"
	PasswordReset Purpose = "password_reset"
	Invitation    Purpose = "invitation"
	// Decoy is good for nothing: it takes as long to keep as the others.
	Decoy Purpose = "decoy"
)

// The subjects of a PasswordReset. Strangers replace each other's codes, not one
// that somebody asked for who had signed in from the same place before.
const (
	RequestedByUnknownClient int64 = 0
	RequestedByKnownClient   int64 = 1
)

// Lifetime is how long a code or link for the purpose can be used.
func (p Purpose) Lifetime() time.Duration {
	switch p {
	case SignUpLink:
		return 24 * time.Hour
	case Invitation:
		return 7 * 24 * time.Hour
	}
	return 10 * time.Minute
}

const (
	codeDigits = 8
	linkBytes  = 32
	// MaxAttempts is how many wrong codes from one source kill a code for that source.
	MaxAttempts = 5
	// MaxUnknownAttempts is how many wrong codes from strangers, wherever they come
	// from, kill a code for all of them.
	MaxUnknownAttempts = 25
)

// Challenge is one code or link that was sent to an address. Of one purpose,
// address and subject only the newest is kept.
type Challenge struct {
	Purpose Purpose
	Email   user.Email
	// Subject is what waits for the answer: a sign-up or an invitation; of a
	// PasswordReset who asked.
	Subject              int64
	Digest               [sha256.Size]byte
	Attempts             Attempts
	CreatedAt, ExpiresAt time.Time
	UsedAt               time.Time // zero: not used
}

// Open reports whether the challenge was not used and has not expired.
func (c Challenge) Open(now time.Time) bool { return c.UsedAt.IsZero() && now.Before(c.ExpiresAt) }

// Key makes digests that cannot be tried out by whoever has a copy of the
// database only: a code has but 10^8 values.
type Key [32]byte

// New makes a challenge for a secret that NewCode or NewLink made.
func (k Key) New(p Purpose, email user.Email, subject int64, secret string, now time.Time) Challenge {
	c := Challenge{Purpose: p, Email: email, Subject: subject, CreatedAt: now, ExpiresAt: now.Add(p.Lifetime())}
	c.Digest = k.digest(c, secret)
	return c
}

// Matches reports, in constant time, whether code answers the challenge.
func (k Key) Matches(c Challenge, code string) bool {
	d := k.digest(c, code)
	return subtle.ConstantTimeCompare(d[:], c.Digest[:]) == 1
}

// LinkDigest is where the challenge of a link is found.
func (k Key) LinkDigest(p Purpose, token string) [sha256.Size]byte {
	return k.digest(Challenge{Purpose: p}, token)
}

// digest binds a code to its purpose, address and subject. A link is found by
// its digest, and long enough to need no more than its purpose.
func (k Key) digest(c Challenge, secret string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k[:])
	if c.Purpose == SignUpLink || c.Purpose == Invitation {
		fmt.Fprintf(mac, "link %s %s", c.Purpose, secret)
		return [sha256.Size]byte(mac.Sum(nil))
	}
	fmt.Fprintf(mac, "code %s %s %d %s", c.Purpose, c.Email, c.Subject, secret)
	return [sha256.Size]byte(mac.Sum(nil))
}

// NewCode draws 8 digits, each code as likely as any other.
func NewCode(random io.Reader) (string, error) {
	const values = 100_000_000
	const fair = 1<<32 - 1<<32%values
	for {
		var b [4]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return "", fmt.Errorf("draw a code: %w", err)
		}
		if n := binary.BigEndian.Uint32(b[:]); uint64(n) < fair {
			return fmt.Sprintf("%08d", n%values), nil
		}
	}
}

// NewLink draws the token of a link: 256 bits, 43 characters of base64url.
func NewLink(random io.Reader) (string, error) {
	var b [linkBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw a link: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// ParseCode reads a code as somebody typed or pasted it: spaces do not count.
func ParseCode(s string) (string, error) {
	if len(s) > 4*codeDigits {
		return "", ErrCodeInvalid
	}
	s = strings.Join(strings.Fields(s), "")
	if len(s) != codeDigits || strings.Trim(s, "0123456789") != "" {
		return "", ErrCodeInvalid
	}
	return s, nil
}

// IsLink reports whether s can be the token of a link.
func IsLink(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == linkBytes && len(s) == base64.RawURLEncoding.EncodedLen(linkBytes)
}
