// Package text normalizes what people write: it folds case and accents for comparison and
// removes characters that mislead or cannot be stored.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ligatures replaces letters that Unicode does not decompose.
var ligatures = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ħ", "h", "ı", "i", "ŧ", "t", "þ", "th")

// Fold converts a text to lower case without accents: "Ödön Straßer" becomes
// "odon strasser". It keeps punctuation and spaces. Fold is idempotent.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	// Upper case first: it unites letters with two lower-case forms, such as ς and σ.
	lower := strings.ToLower(strings.ToUpper(norm.NFKD.String(s)))
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			return -1
		}
		return r
	}, ligatures.Replace(lower))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
