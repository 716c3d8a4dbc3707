package user

import (
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Email is an address from ParseEmail: trimmed, in lower case, without a display name.
type Email string

const (
	maxEmail = 254 // bytes, RFC 5321 4.5.3.1.3 without the brackets
	maxLocal = 64  // bytes before the @
	maxLabel = 63  // bytes of one label of the domain
)

// ErrEmailInvalid rejects anything but a bare address of at most 254 bytes.
var ErrEmailInvalid = fault.New(fault.Invalid, "email_invalid", "This is not a valid email address.")

// ParseEmail parses a bare address: a dot-atom, an @ and a domain name with at least
// two labels, all ASCII (an international domain in Punycode). It trims spaces and
// lower-cases letters; nothing else is normalized, so "+" and dots are significant.
// Quoted local parts, comments and address literals are rejected.
func ParseEmail(s string) (Email, error) {
	s = strings.Map(lower, strings.TrimFunc(s, isSpace))
	local, domain, found := strings.Cut(s, "@")
	if !found || len(s) > maxEmail || !isLocal(local) || !isDomain(domain) {
		return "", ErrEmailInvalid.WithField("email", "must be an address like name@university.edu")
	}
	return Email(s), nil
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }

// lower folds ASCII letters only: Unicode folding would turn the Kelvin sign into a "k"
// and so match another person's address.
func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// isLocal reports whether s is a dot-atom (RFC 5322 3.2.3).
func isLocal(s string) bool {
	if len(s) > maxLocal {
		return false
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool {
			return !isAlphanumeric(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
		}) {
			return false
		}
	}
	return true
}

// isDomain reports whether s is a host name (RFC 1123) whose top-level domain is not
// all digits.
func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.ContainsFunc(label, func(r rune) bool { return !isAlphanumeric(r) && r != '-' }) {
			return false
		}
	}
	top := labels[len(labels)-1]
	return len(labels) >= 2 && strings.ContainsFunc(top, func(r rune) bool { return r < '0' || r > '9' })
}

func isAlphanumeric(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }
