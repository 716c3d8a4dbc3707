package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inflections are the endings of Russian nouns and adjectives without accents, the longest ones first.
var inflections = strings.Fields("иями ьями ого его ому ему ыми ими ами ями иям иях ием иеи ьям ьях ьев ая яя ое ее ые ие ыи ии ои еи ым им ых их ую юю " +
	"ою ею ам ям ах ях ом ем ов ев ью ия ию ья а я о е ы и у ю ь")

// minStem is how many letters remain of a word without its ending.
const minStem = 3

// stem returns a Cyrillic word without its ending: "братьев" is a form of "братья". Others it returns as they are.
func stem(w string) string {
	first, _ := utf8.DecodeRuneInString(w)
	if !unicode.Is(unicode.Cyrillic, first) {
		return w
	}
	for _, ending := range inflections {
		if rest, ok := strings.CutSuffix(w, ending); ok && utf8.RuneCountInString(rest) >= minStem {
			return rest
		}
	}
	return w
}
