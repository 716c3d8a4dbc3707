package lexicon

import "strconv"

// aliases are other names and abbreviations.
var aliases = map[string]string{
	"cpp": "cplusplus", "vol": "volume", "vols": "volume", "pt": "part", "intro": "introduction", "dept": "department", "maths": "math",
	"js": "javascript", "tome": "volume", "tom": "volume", "bd": "band",
}

var aliasesOf = func() map[string][]string {
	m := map[string][]string{}
	for short, long := range aliases {
		m[long] = append(m[long], short)
	}
	return m
}()

// Canon returns one form for all words that mean the same: "3" for III and three, "mouse" for mice,
// "20th" for twentieth. Of
// Cyrillic words it is the stem.
func Canon(w string) string {
	if !isASCII(w) || w == "" {
		return stem(w)
	}
	if n, ok := numeral(w); ok {
		return strconv.Itoa(n)
	}
	if n, ok := Ordinal(w); ok {
		return ordinalText(n)
	}
	if long, ok := aliases[w]; ok {
		return long
	}
	return singular(w)
}

// maxForms bounds the numbers that have forms in words and Roman numerals.
const maxForms = 19

// Forms returns the other words that have the same Canon, as far as they are known. Not each is a word.
func Forms(w string) []string {
	if !isASCII(w) || w == "" {
		return nil
	}
	var all []string
	if n, ok := numeral(w); ok {
		all = []string{strconv.Itoa(n)}
		if n >= 1 && n <= maxRoman {
			all = append(all, toRoman(n))
		}
		if n <= maxForms {
			all = append(all, unitWords[n])
		}
	} else if n, ok := Ordinal(w); ok {
		all = []string{ordinalText(n), strconv.Itoa(n) + "e"}
		if word, ok := ordinalWords[n]; ok {
			all = append(all, word)
		}
	} else {
		if long, ok := aliases[w]; ok {
			w = long
		}
		all = append(numberForms(w), aliasesOf[singular(w)]...)
	}
	return all
}
