package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is what a stranger wrote as one line that every store and terminal takes:
// valid UTF-8, spaces in place of line breaks, U+FFFD in place of other control
// characters, and at most so many bytes. Postgres stores no text with a NUL or a
// broken rune.
func Line(s string, most int) string {
	s = s[:min(len(s), most+utf8.UTFMax)] // what is behind that cannot become part of the line
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c):
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	for len(s) > most {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}
