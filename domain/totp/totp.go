// Package totp computes the codes of authenticator apps: RFC 6238 with SHA-1, six digits and
// steps of 30 seconds, which is what every app supports.
package totp

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238; a MAC needs no resistance to collisions
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/text"
)

const (
	period      = 30 // seconds
	digits      = 6
	modulus     = 1_000_000
	secretBytes = 20 // as long as the hash, RFC 4226, section 4
	tolerance   = 1  // steps that a clock may differ by, either way
)

// Secret is what the server and an authenticator app share.
type Secret [secretBytes]byte

// NewSecret generates a secret.
func NewSecret(random io.Reader) (s Secret, err error) {
	if _, err = io.ReadFull(random, s[:]); err != nil {
		err = fmt.Errorf("generate a secret: %w", err)
	}
	return s, err
}

// String returns the form that people type into an app: 32 characters of base32.
func (s Secret) String() string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(s[:])
}

// URI returns the secret as apps scan it. issuer names the service and account the user.
func (s Secret) URI(issuer, account string) string {
	issuer = strings.ReplaceAll(issuer, ":", " ") // the label separates issuer and account by a colon
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	return fmt.Sprintf("otpauth://totp/%s:%s?secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d",
		escape(issuer), escape(account), s, escape(issuer), digits, period)
}

// StepAt returns the number of the step in which a time lies.
func StepAt(now time.Time) int64 { return now.Unix() / period }

// Code returns the code of a step.
func (s Secret) Code(step int64) string {
	mac := hmac.New(sha1.New, s[:])
	_ = binary.Write(mac, binary.BigEndian, step) // a hash never fails
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	n := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, n%modulus)
}

// Match returns the step whose code this is: the present one, the one before or the one
// after, but only a step later than last, so that no code is accepted twice. It compares
// every candidate in constant time.
func (s Secret) Match(code string, now time.Time, last int64) (step int64, ok bool) {
	for n := StepAt(now) - tolerance; n <= StepAt(now)+tolerance; n++ {
		if subtle.ConstantTimeCompare([]byte(s.Code(n)), []byte(code)) == 1 && n > last {
			step, ok = n, true
		}
	}
	return step, ok
}

// ParseCode returns a code as somebody typed or pasted it, as text.Code does. ok is false for
// text that cannot be a code.
func ParseCode(typed string) (code string, ok bool) {
	if len(typed) > 4*digits {
		return "", false
	}
	code = text.Code(typed)
	return code, len(code) == digits && strings.Trim(code, "0123456789") == ""
}
