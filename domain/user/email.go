package user

import (
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Email is an address as ParseEmail made it: trimmed, lower-cased, bare.
type Email string

// ErrEmailInvalid refuses what is no bare address of at most 254 bytes.
var ErrEmailInvalid = fault.New(fault.Invalid, "email_invalid", "This is not a valid email address.")

// IsEdu reports whether the last label of the domain is "edu".
func (e Email) IsEdu() bool { return strings.HasSuffix(string(e), ".edu") }
