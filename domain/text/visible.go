package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible shows what a text hides: control and hidden characters become an escape of JSON
// such as \u202e, and invalid bytes \ufffd. Tabs and line breaks stay. Escapes in a string
// of JSON keep its value.
func Visible(s string) string {
	if strings.IndexFunc(s, escaped) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !escaped(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// escaped includes the character of invalid bytes.
func escaped(r rune) bool {
	return r == utf8.RuneError || unicode.Is(hidden, r) || unicode.IsControl(r) && r != '\n' && r != '\t'
}
