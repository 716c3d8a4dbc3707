package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// elided are the words that French shortens before a vowel: "l'énergie", "qu'est-ce". "t" is
// missing, because "T'ang" and "t'ai chi" are not French.
var elided = []string{"l", "d", "c", "j", "m", "n", "s", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' }

// withoutElisions removes elided words from a text without accents, so that a search for
// "énergie" finds "L'énergie". It leaves "O'Reilly", "C's" and "rock'n'roll" as they are.
func withoutElisions(s string) string {
	if !strings.ContainsFunc(s, isApostrophe) {
		return s
	}
	var b strings.Builder
	kept, start := 0, -1 // s[:kept] is written or removed; a word began at start
	for i, r := range s {
		switch {
		case wordRune(r) == ' ':
			start = -1
		case !isApostrophe(r):
			if start < 0 {
				start = i
			}
		case start >= 0 && slices.Contains(elided, strings.ToLower(s[start:i])) && beginsWithVowel(s[i+utf8.RuneLen(r):]):
			b.WriteString(s[kept:start])
			kept, start = i+utf8.RuneLen(r), -1
		}
	}
	return b.String() + s[kept:]
}

// beginsWithVowel also accepts h, which is mostly mute.
func beginsWithVowel(s string) bool { return s != "" && strings.IndexByte("aeiouyhAEIOUYH", s[0]) >= 0 }
