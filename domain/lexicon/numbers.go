package lexicon

import (
	"maps"
	"strconv"
	"strings"
)

// units and tens are the cardinal numbers in words, ordinals those of an order.
var (
	units = numbered("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 0, 1)
	tens  = numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)

	ordinals = numbered("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "+
		"seventeenth eighteenth nineteenth twentieth twentyfirst twentysecond twentythird twentyfourth twentyfifth", 1, 1)

	unitWords, ordinalWords = inverse(units), inverse(ordinals)
)

func numbered(words string, first, step int) map[string]int {
	m := map[string]int{}
	for i, w := range strings.Fields(words) {
		m[w] = first + i*step
	}
	return m
}

func inverse(m map[string]int) map[int]string {
	words := make(map[int]string, len(m))
	for w, n := range m {
		words[n] = w
	}
	return words
}

// cardinals are all of them in one word.
var cardinals = func() map[string]int {
	m := map[string]int{"hundred": 100}
	maps.Copy(m, units)
	maps.Copy(m, tens)
	return m
}()

// cardinal returns the number that a word names.
func cardinal(w string) (int, bool) {
	if len(w) < 3 || len(w) > 9 {
		return 0, false
	}
	n, ok := cardinals[w]
	return n, ok
}

// joinNumbers adds the digits of numbers in several words: One Hundred, Twenty-One, Nineteen Eighty-Four.
func (p *Phrase) joinNumbers() {
	for from := 0; from < len(p.Words); from++ {
		to, total, last := from, 0, 0
		for ; to < len(p.Words); to++ {
			n, ok := cardinal(p.Words[to])
			if !ok {
				break
			}
			switch {
			case to == from:
				total = n
			case n == 100 && total < 100:
				total *= n
			case n < 10 && last >= 20 && last < 100, last == 100:
				total += n
			case n >= 10 && total >= 10 && total < 100: // a year
				total = total*100 + n
			default:
				ok = false
			}
			if !ok {
				break
			}
			last = n
		}
		if to-from > 1 {
			p.join(strconv.Itoa(total), from, to)
			from = to - 1
		}
	}
}

// maxRoman is the largest number that is read as a Roman one: larger ones look like words.
const maxRoman = 39

// Roman returns the number that a word is in Roman numerals, up to 39, in lower case.
func Roman(w string) (int, bool) {
	if w == "" || len(w) > 7 || strings.Trim(w, "ivx") != "" {
		return 0, false
	}
	n := 0
	for i := range len(w) {
		v := romanValue(w[i])
		if i+1 < len(w) && v < romanValue(w[i+1]) {
			n -= v
		} else {
			n += v
		}
	}
	return n, n >= 1 && n <= maxRoman && toRoman(n) == w
}

func romanValue(c byte) int {
	return map[byte]int{'i': 1, 'v': 5, 'x': 10}[c]
}

func toRoman(n int) string {
	return strings.Repeat("x", n/10) + [...]string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}[n%10]
}

// numeral returns the number that a word is: in digits, in Roman numerals or in words.
func numeral(w string) (int, bool) {
	if n, ok := Roman(w); ok {
		return n, true
	}
	if n, ok := cardinal(w); ok {
		return n, true
	}
	if len(w) > 4 || w == "" || w[0] < '0' || w[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && strconv.Itoa(n) == w
}

// Ordinal returns the number of a word such as 3rd, 12th and, in words, third; false for others.
func Ordinal(w string) (int, bool) {
	if n, ok := ordinals[w]; ok {
		return n, true
	}
	digits := len(w) - len(strings.TrimLeft(w, "0123456789"))
	if digits == 0 || digits > 3 || !ordinalSuffixes[w[digits:]] {
		return 0, false
	}
	n, err := strconv.Atoi(w[:digits])
	return n, err == nil && n > 0
}

// ordinalSuffixes follow the digits of an ordinal number.
var ordinalSuffixes = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "e": true, "ed": true, "eme": true, "er": true}

func ordinalText(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
