package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// maxName limits a name, in characters.
const maxName = 100

// ErrNameInvalid rejects a name.
var ErrNameInvalid = fault.New(fault.Invalid, "bad_request", "The name must have at most 100 characters and no control characters.").
	WithField("name", "must have at most 100 characters and no control characters")

// CleanName validates the name by which a user wants to be called and returns it in NFC,
// without hidden characters and surrounding spaces. It may be empty.
func CleanName(s string) (string, error) {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsRune(s, utf8.RuneError) {
		return "", ErrNameInvalid
	}
	s = strings.TrimSpace(text.StripHidden(norm.NFC.String(s)))
	if text.Blank(s) {
		return "", nil
	}
	if utf8.RuneCountInString(s) > maxName {
		return "", ErrNameInvalid
	}
	return s, nil
}

// MaxReason limits the reason of a suspension, in characters.
const MaxReason = 300

// ErrReasonInvalid rejects the reason of a suspension.
var ErrReasonInvalid = fault.New(fault.Invalid, "bad_request", "Please give a reason of at most 300 characters.").
	WithField("reason", "must have 1 to 300 characters and no control characters")

// CleanReason validates the reason of a suspension, which is mailed, and returns it in NFC and on one line,
// without hidden characters and surrounding spaces.
func CleanReason(s string) (string, error) {
	s, ok := text.CleanLine(text.JoinLines(s), MaxReason)
	if !ok || text.Blank(s) || strings.ContainsRune(s, utf8.RuneError) {
		return "", ErrReasonInvalid
	}
	return s, nil
}
