package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden are invisible characters, some of which reverse the direction of the text around
// them: with them a title could look like another one, or alter a sentence that quotes it.
// The joiners U+200C and U+200D and the marks U+200E, U+200F and U+061C are not included:
// some scripts and emoji need them, and they affect only the direction of punctuation.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, // soft hyphen
		{Lo: 0x200B, Hi: 0x200B, Stride: 1}, // zero width space
		{Lo: 0x202A, Hi: 0x202E, Stride: 1}, // bidirectional embeddings and overrides
		{Lo: 0x2060, Hi: 0x206F, Stride: 1}, // word joiner, invisible operators, bidirectional isolates
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1}, // byte order mark
		{Lo: 0xFFF9, Hi: 0xFFFB, Stride: 1}, // interlinear annotations
	},
	R32: []unicode.Range32{
		{Lo: 0xE0000, Hi: 0xE007F, Stride: 1}, // tags
	},
	LatinOffset: 1,
}

// StripHidden removes hidden characters, which people often copy without seeing them. It
// returns invalid UTF-8 unchanged.
func StripHidden(s string) string {
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

// Blank reports whether a text shows nothing: it has only spaces and invisible characters.
func Blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !invisible(r) }) < 0
}

func invisible(r rune) bool {
	return r == '\u2800' || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Storable reports whether a stored text could contain s: it is valid UTF-8 without NUL.
// Postgres returns an error if it is asked to search for any other.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
