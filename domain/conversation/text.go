package conversation

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// MaxText is how many characters a message may have.
const MaxText = 2000

// ErrText refuses the text of a message.
var ErrText = fault.New(fault.Invalid, "text_invalid", "Write a message of 1 to 2,000 characters.").
	WithField("text", "Must be 1 to "+strconv.Itoa(MaxText)+" characters, not blank and without control characters other than line breaks.")

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ")

// CleanText returns the text of a message in NFC, without hidden characters and surrounding
// spaces, and with \n as line break; ErrText if it is blank, too long or not printable.
func CleanText(s string) (string, error) {
	if len(s) > 16*MaxText || !utf8.ValidString(s) { // no normalized text becomes that much shorter
		return "", ErrText
	}
	s = lineBreaks.Replace(norm.NFC.String(text.StripHidden(s)))
	s = strings.TrimSpace(s)
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	if text.Blank(s) || utf8.RuneCountInString(s) > MaxText || strings.ContainsFunc(s, control) {
		return "", ErrText
	}
	return s, nil
}
