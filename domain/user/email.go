package user

import (
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Email is an address as ParseEmail made it: trimmed, lower-cased, bare.
type Email string

const (
	maxEmail = 254 // bytes, RFC 5321 4.5.3.1.3 without the brackets
	maxLocal = 64  // bytes before the @
	maxLabel = 63  // bytes between two dots of the domain
)

// ErrEmailInvalid refuses what is no bare address of at most 254 bytes.
var ErrEmailInvalid = fault.New(fault.Invalid, "email_invalid", "This is not a valid email address.")

// ParseEmail reads a bare address: a dot-atom, an @ and a domain name of at
// least two labels, all ASCII (an international domain as punycode). Spaces
// around it are dropped and letters lower-cased; nothing else is folded, so "+"
// and dots count. Quoted local parts, comments and address literals are refused.
func ParseEmail(s string) (Email, error) {
	s = strings.Map(lower, strings.TrimFunc(s, isSpace))
	local, domain, found := strings.Cut(s, "@")
	if !found || len(s) > maxEmail || !isLocal(local) || !isDomain(domain) {
		return "", ErrEmailInvalid.WithField("email", "must be an address like name@university.edu")
	}
	return Email(s), nil
}

// IsEdu reports whether the last label of the domain is "edu".
func (e Email) IsEdu() bool { return strings.HasSuffix(string(e), ".edu") }

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }

// lower folds ASCII only: a Kelvin sign must not become somebody's k.
func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// isLocal holds for a dot-atom (RFC 5322 3.2.3).
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

// isDomain holds for a host name (RFC 1123) with a top-level domain that is not
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
