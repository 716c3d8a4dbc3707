// Package text folds away how a text is written, so that what means the same
// compares equal.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ligatures spells out the letters that no decomposition takes apart.
var ligatures = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ħ", "h", "ı", "i", "ŧ", "t", "þ", "th")

// Fold writes a text in small letters without accents: "Ödön Straßer" becomes
// "odon strasser". Punctuation and spaces stay. Folding twice changes nothing.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	// By way of the capital, letters with two small forms become one, such as ς and σ.
	small := strings.ToLower(strings.ToUpper(norm.NFKD.String(s)))
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			return -1
		}
		return r
	}, ligatures.Replace(small))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
