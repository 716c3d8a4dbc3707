package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CleanLine returns what somebody has typed in NFC, without hidden characters and surrounding spaces; false if it
// is not printable on one line or has more than this many characters.
func CleanLine(s string, most int) (string, bool) {
	if !Printable(s, false) {
		return "", false
	}
	s = strings.TrimSpace(StripHidden(norm.NFC.String(s)))
	return s, utf8.RuneCountInString(s) <= most
}

// FitsLine reports whether s is printable on one line and has at most this many characters.
func FitsLine(s string, most int) bool {
	return utf8.RuneCountInString(s) <= most && Printable(s, false)
}

// FitsLines is FitsLine for a text that may have line breaks.
func FitsLines(s string, most int) bool {
	return utf8.RuneCountInString(s) <= most && Printable(s, true)
}

// Printable reports whether s is valid UTF-8 without control characters (Unicode
// category Cc). With lines, it allows line breaks.
func Printable(s string, lines bool) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool {
		lineBreak := r == '\n' || r == '\r'
		return unicode.IsControl(r) && (!lines || !lineBreak)
	}) < 0
}
