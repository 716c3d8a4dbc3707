package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes untrusted text safe to store and to print on one line: valid UTF-8 of at most
// so many bytes, with spaces for line breaks and U+FFFD for other control characters.
// Postgres refuses text with NUL or invalid UTF-8.
func Line(s string, most int) string {
	s = s[:min(len(s), most+utf8.UTFMax)] // later bytes cannot be part of the line
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c):
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return cut(s, most)
}

// JoinLines returns a text with a space for each of its line breaks: people press Enter in every large input.
func JoinLines(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c == '\n' || c == '\r' }), " ")
}
