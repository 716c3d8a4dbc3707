package totp

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"strings"

	"github.com/octavo-books/octavo/domain/text"
)

// RecoveryCodes is how many recovery codes a user gets at once.
const RecoveryCodes = 10

// Crockford's base32: no letter looks like a digit.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const (
	recoveryLength = 16 // characters of 5 bits: too many to guess even with the digest at hand
	recoveryGroup  = 4
)

// Digest is what is stored of a recovery code.
type Digest [sha256.Size]byte

// NewRecoveryCodes generates codes such as "7k3q-09ab-xw2m-h5tz".
func NewRecoveryCodes(random io.Reader) ([]string, error) {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		var b [recoveryLength]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return nil, fmt.Errorf("generate recovery codes: %w", err)
		}
		var code strings.Builder
		for j, c := range b {
			if j > 0 && j%recoveryGroup == 0 {
				code.WriteByte('-')
			}
			code.WriteByte(alphabet[c%byte(len(alphabet))])
		}
		codes[i] = code.String()
	}
	return codes, nil
}

// similar maps what people read into a code to what it has.
var similar = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// ParseRecoveryCode returns a recovery code as somebody typed it in the form of which a
// digest is made. ok is false for text that cannot be one.
func ParseRecoveryCode(typed string) (code string, ok bool) {
	if len(typed) > 4*recoveryLength {
		return "", false
	}
	code = similar.Replace(strings.ToLower(text.Code(typed)))
	return code, len(code) == recoveryLength && strings.Trim(code, alphabet) == ""
}

// RecoveryDigest returns the digest of a parsed recovery code. The secret is its key, so
// that a digest is of no use without the secret and for no other account.
func (s Secret) RecoveryDigest(code string) Digest {
	mac := hmac.New(sha256.New, s[:])
	_, _ = io.WriteString(mac, "recovery code "+code) // a hash never fails
	return Digest(mac.Sum(nil))
}

// MatchRecovery returns the index of the digest that belongs to a parsed code, -1 for none.
// It compares all of them in constant time.
func (s Secret) MatchRecovery(code string, among []Digest) int {
	found, digest := -1, s.RecoveryDigest(code)
	for i, d := range among {
		if subtle.ConstantTimeCompare(d[:], digest[:]) == 1 {
			found = i
		}
	}
	return found
}
