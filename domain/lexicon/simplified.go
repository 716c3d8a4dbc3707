package lexicon

import (
	"strings"
	"sync"
)

// simplified has the simplified character of each traditional one.
var simplified = sync.OnceValue(func() map[rune]rune {
	pairs := []rune(traditionalPairs)
	all := make(map[rune]rune, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return all
})

// firstHan precedes all characters of simplified.
const firstHan = '\u3400'

// Simplified returns a text in simplified Chinese characters. Characters are changed one by one, which is right for finding
// a title though not always for printing one.
func Simplified(s string) string {
	return strings.Map(func(r rune) rune {
		if r < firstHan {
			return r
		}
		if other, ok := simplified()[r]; ok {
			return other
		}
		return r
	}, s)
}
