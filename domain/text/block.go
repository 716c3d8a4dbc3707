package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Block makes untrusted text safe to store and to print on several lines: as Line, but
// line breaks and tabs stay. Every line break becomes \n.
func Block[T string | []byte](s T, most int) string {
	// A line break of two bytes becomes one, so that twice as many bytes may belong to the block.
	read := string(s[:min(len(s), 2*most+utf8.UTFMax)])
	read = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(read, "\uFFFD"))
	return cut(strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, read), most)
}

// cut removes whole characters from the end of a longer text.
func cut(s string, most int) string {
	for len(s) > most {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}
