package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden are characters that show nothing, and of which some turn round what
// stands beside them: a title could use them to look like another, or to rewrite
// the sentence that quotes it. The joiners U+200C and U+200D and the marks U+200E,
// U+200F and U+061C are not among them, because there are scripts and emoji that
// need them and they turn nothing but punctuation.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, // soft hyphen
		{Lo: 0x200B, Hi: 0x200B, Stride: 1}, // zero width space
		{Lo: 0x202A, Hi: 0x202E, Stride: 1}, // embeddings and overrides of direction
		{Lo: 0x2060, Hi: 0x206F, Stride: 1}, // word joiner, invisible operators, isolates of direction
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1}, // byte order mark
		{Lo: 0xFFF9, Hi: 0xFFFB, Stride: 1}, // annotations between the lines
	},
	R32: []unicode.Range32{
		{Lo: 0xE0000, Hi: 0xE007F, Stride: 1}, // tags
	},
	LatinOffset: 1,
}

// Plain is what people wrote without its hidden characters, which they cannot see
// either and often bring along when they copy. Text that is not UTF-8 comes back
// as it is.
func Plain(s string) string {
	if ascii(s) || !utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(hidden, r) {
			return -1
		}
		return r
	}, s)
}

// Blank reports whether a text shows nothing: spaces, and what has no width or no
// ink.
func Blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !inkless(r) }) < 0
}

func inkless(r rune) bool {
	return r == '\u2800' || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Storable reports whether a text can be part of one that is kept: valid UTF-8 without
// U+0000. Nothing that is kept contains any other, and Postgres fails to look for it.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
