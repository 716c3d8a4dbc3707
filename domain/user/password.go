package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Password is a password from NewPassword or TypedPassword. It is in NFC, so that the
// same keys give the same bytes on every system, except for the other forms of
// TypedPassword.
type Password string

// The length of a new password, in characters. Length makes a password strong, so there
// are no rules about which characters it must contain.
const (
	MinPassword = 8
	MaxPassword = 128
)

// maxTyped limits the bytes of a typed password: 128 characters of four bytes each,
// each of which may be the NFC form of up to four.
const maxTyped = 16 * MaxPassword

// NewPassword validates a new password: 8 to 128 characters, without control characters
// and U+FFFD, not a common password and not the user's address. The error names the
// violated rule.
func NewPassword(raw string, email Email) (Password, error) {
	if len(raw) > maxTyped || !utf8.ValidString(raw) {
		return "", refusePassword("must have 8 to 128 characters")
	}
	p := norm.NFC.String(raw)
	switch n := utf8.RuneCountInString(p); {
	case n < MinPassword || n > MaxPassword:
		return "", refusePassword("must have 8 to 128 characters")
	case strings.ContainsFunc(p, isAmbiguous):
		return "", refusePassword("must not contain control or invalid characters")
	case strings.EqualFold(strings.TrimSpace(p), string(email)):
		return "", refusePassword("must not be your address")
	case isCommon(p):
		return "", refusePassword("is one of the most common passwords")
	}
	return Password(p), nil
}

// TypedPassword returns each form of a typed password that a stored hash may have been
// made from: NFC and, if it differs, the text as it was typed, which imported hashes may
// come from. It returns false for a text that no account's password can be. Imported
// passwords may violate the rules for new ones, except that two different texts must not be
// the same password.
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

// isAmbiguous reports characters with which different texts would be the same password:
// bcrypt repeats its key after a NUL, so that "PW\x00PW" equals "PW", and JSON decoders
// turn every unpaired surrogate into U+FFFD. Other control characters are rejected as
// well because nobody types them.
func isAmbiguous(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }

func refusePassword(why string) error {
	return ErrPasswordInvalid.WithMsg("This password cannot be used: it "+why+".").WithField("password", why)
}
