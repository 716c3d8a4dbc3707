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

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Purpose is what a code or link can be used for.
type Purpose string

// The purposes.
const (
	SignUpCode    Purpose = "signup_code"
	SignUpLink    Purpose = "signup_link"
	PasswordReset Purpose = "password_reset"
	Invitation    Purpose = "invitation"
	SignInCode    Purpose = "signin_code"
	// IdentitySignIn is an external sign-in that waits for the provider's answer.
	IdentitySignIn Purpose = "identity_sign_in"
	// IdentityCode is an external sign-in that waits for the code mailed to its address.
	IdentityCode Purpose = "identity_code"
	// The purposes of ceremonies.
	PasskeyRegistration Purpose = "passkey_registration"
	PasskeySignIn       Purpose = "passkey_sign_in"
	SecondFactor        Purpose = "second_factor" // of a ceremony: a sign-in that waits for it
	// EmailChange is the code that confirms a new address, sent to it. Its challenge belongs
	// to the old one.
	EmailChange Purpose = "email_change"
	// EmailUndo is the link that undoes a change of address.
	EmailUndo Purpose = "email_undo"
	// AccountDeletion is the link that keeps an account whose owner has asked to delete it.
	AccountDeletion Purpose = "account_deletion"
	// SignInApproval lets the owner of an address approve sign-ins from a client.
	SignInApproval Purpose = "sign_in_approval"
	// AuthorizationRequest is a request of an OpenID client that waits for its user to sign in
	// or to consent; AuthorizationCode is the answer.
	AuthorizationRequest Purpose = "authorization_request"
	AuthorizationCode    Purpose = "authorization_code"
	// ServiceLogout is a logout token of another service that was used.
	ServiceLogout Purpose = "service_logout"
	// Decoy cannot be used. Storing it takes as long as storing another purpose.
	Decoy Purpose = "decoy"
)

// The subjects of a PasswordReset and of a SignInCode. A request from an unknown client
// replaces only codes that unknown clients requested.
const (
	RequestedByUnknownClient int64 = 0
	RequestedByKnownClient   int64 = 1
)

// Lifetime returns how long a code or link for the purpose is valid.
func (p Purpose) Lifetime() time.Duration {
	switch p {
	case SignUpLink:
		return 24 * time.Hour
	case Invitation:
		return 7 * 24 * time.Hour
	case SecondFactor:
		return 5 * time.Minute
	case EmailUndo:
		return user.UndoPeriod
	case AccountDeletion:
		return user.DeletionDelay
	case SignInApproval:
		return time.Hour
	case AuthorizationRequest: // long enough to sign up and to confirm the address
		return 30 * time.Minute
	case AuthorizationCode:
		return time.Minute
	case ServiceLogout: // longer than the token is accepted
		return time.Hour
	}
	return 10 * time.Minute
}

// isLink reports whether the secret is a token from NewLink.
func (p Purpose) isLink() bool {
	return p == SignUpLink || p == Invitation || p == AccountDeletion || p == SignInApproval || p == EmailUndo
}

const (
	codeDigits = 8
	linkBytes  = 32
	// MaxAttempts is how many wrong attempts of one client invalidate a code for it.
	MaxAttempts = 5
	// MaxUnknownAttempts is how many wrong attempts of unknown clients invalidate a code
	// for all of them.
	MaxUnknownAttempts = 25
)

// Challenge is one code or link that was sent to an address. A store keeps only the
// newest one for each purpose, address and subject.
type Challenge struct {
	Purpose Purpose
	Email   user.Email
	// Subject is the id of the sign-up, invitation, change of address or account that the
	// challenge belongs to. For a PasswordReset and a SignInCode it says which kind of client
	// requested it.
	Subject              int64
	Digest               [sha256.Size]byte
	Attempts             Attempts
	CreatedAt, ExpiresAt time.Time
	UsedAt               time.Time // zero unless it was used
}

// Open reports whether the challenge is unused and has not expired.
func (c Challenge) Open(now time.Time) bool { return c.UsedAt.IsZero() && now.Before(c.ExpiresAt) }

// Key makes keyed digests. A code has only 10^8 values, so with a digest without a key anybody
// who has a copy of the database could find the code.
type Key [32]byte

// New returns a challenge for a secret from NewCode or NewLink.
func (k Key) New(p Purpose, email user.Email, subject int64, secret string, now time.Time) Challenge {
	c := Challenge{Purpose: p, Email: email, Subject: subject, CreatedAt: now, ExpiresAt: now.Add(p.Lifetime())}
	c.Digest = k.digest(c, secret)
	return c
}

// Matches reports in constant time whether code is the one that was sent.
func (k Key) Matches(c Challenge, code string) bool {
	d := k.digest(c, code)
	return subtle.ConstantTimeCompare(d[:], c.Digest[:]) == 1
}

// LinkDigest returns the digest under which a link's challenge is stored.
func (k Key) LinkDigest(p Purpose, token string) [sha256.Size]byte {
	return k.digest(Challenge{Purpose: p}, token)
}

// digest binds a code to its purpose, address and subject. A link is looked up by its
// digest before those are known; it is long enough to be bound to its purpose alone.
func (k Key) digest(c Challenge, secret string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k[:])
	if c.Purpose.isLink() {
		fmt.Fprintf(mac, "link %s %s", c.Purpose, secret)
		return [sha256.Size]byte(mac.Sum(nil))
	}
	fmt.Fprintf(mac, "code %s %s %d %s", c.Purpose, c.Email, c.Subject, secret)
	return [sha256.Size]byte(mac.Sum(nil))
}

// NewCode generates 8 digits; every code is equally likely.
func NewCode(random io.Reader) (string, error) {
	const values = 100_000_000
	const fair = 1<<32 - 1<<32%values // reject the rest, which would favour low codes
	for {
		var b [4]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return "", fmt.Errorf("generate a code: %w", err)
		}
		if n := binary.BigEndian.Uint32(b[:]); uint64(n) < fair {
			return fmt.Sprintf("%08d", n%values), nil
		}
	}
}

// NewLink generates the token of a link: 256 bits as 43 characters of base64url.
func NewLink(random io.Reader) (string, error) {
	var b [linkBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("generate a link: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// ParseCode parses a code as somebody typed or pasted it, see text.Code.
func ParseCode(s string) (string, error) {
	if len(s) > 4*codeDigits {
		return "", ErrCodeInvalid
	}
	s = text.Code(s)
	if len(s) != codeDigits || strings.Trim(s, "0123456789") != "" {
		return "", ErrCodeInvalid
	}
	return s, nil
}

// IsLink reports whether s has the form of a link's token.
func IsLink(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == linkBytes && len(s) == base64.RawURLEncoding.EncodedLen(linkBytes)
}
