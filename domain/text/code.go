package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Code returns a code as somebody typed or pasted it in the digits and letters that it was given
// out in: wide ones become plain, and spaces, hyphens and invisible characters go.
func Code(typed string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || r == '−' {
			return -1
		}
		return r
	}, norm.NFKC.String(StripHidden(typed)))
}
