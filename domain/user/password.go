package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Password is a password as NewPassword or TypedPassword made it: in NFC, so that
// the same keys give the same bytes on every system, unless it is to be compared
// with a hash from elsewhere.
type Password string

// The bounds of a new password, in characters. Length is what makes a password
// strong; there are no rules of composition.
const (
	MinPassword = 8
	MaxPassword = 128
)

// maxTyped bounds in bytes what anybody types: 128 characters, four bytes each,
// which NFC may make of up to four.
const maxTyped = 16 * MaxPassword

// NewPassword checks a password that somebody wants to have: 8 to 128
// characters, any but controls and U+FFFD, not a common one and not the address
// itself. The error says which rule was broken.
func NewPassword(raw string, email Email) (Password, error) {
	if len(raw) > maxTyped || !utf8.ValidString(raw) {
		return "", refusePassword("must have 8 to 128 characters")
	}
	p := norm.NFC.String(raw)
	switch n := utf8.RuneCountInString(p); {
	case n < MinPassword || n > MaxPassword:
		return "", refusePassword("must have 8 to 128 characters")
	case strings.ContainsFunc(p, isAmbiguous):
		return "", refusePassword("must not contain control or unreadable characters")
	case strings.EqualFold(strings.TrimSpace(p), string(email)):
		return "", refusePassword("must not be your address")
	case isCommon(p):
		return "", refusePassword("is one of the most common passwords")
	}
	return Password(p), nil
}

// TypedPassword is what somebody typed to be compared, in each form that a hash
// may have been made of: in NFC, and as it came if that is another, because an
// imported hash may be of that. false for what is no account's password: imported
// ones may break the rules for new ones, but not have two spellings.
func TypedPassword(raw string) ([]Password, bool) {
	if raw == "" || len(raw) > maxTyped || !utf8.ValidString(raw) || strings.ContainsFunc(raw, isAmbiguous) {
		return nil, false
	}
	forms := []Password{Password(norm.NFC.String(raw))}
	if string(forms[0]) != raw {
		forms = append(forms, Password(raw))
	}
	return forms, true
}

// isAmbiguous holds for characters that would make different passwords equal:
// bcrypt repeats its key after a NUL, so that "PW\x00PW" is "PW", and decoders of
// JSON write U+FFFD for every unpaired surrogate. The other controls are refused
// with NUL, because people do not type them.
func isAmbiguous(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }

func refusePassword(why string) error {
	return ErrPasswordInvalid.WithMsg("This password cannot be used: it "+why+".").WithField("password", why)
}
