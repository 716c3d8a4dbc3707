package book

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// signs are what tells names of one or two letters apart that are the same once
// punctuation is folded away: C++, C# and F#. By folded word.
type signs map[string][]string

func signsOf(name string) signs {
	if !strings.ContainsAny(name, "+#") {
		return nil
	}
	found := signs{}
	for _, field := range strings.FieldsFunc(name, separates) {
		word := strings.TrimRight(field, "+#")
		if sign := field[len(word):]; sign != "" && utf8.RuneCountInString(word) <= 2 {
			if folded := Key(word); folded != "" {
				found[folded] = append(found[folded], sign)
			}
		}
	}
	return found
}

func separates(r rune) bool {
	return r != '+' && r != '#' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// lacks reports whether a wanted name stands in s with other signs than its own
// only. One without any sign on either side fits: people leave them out.
func (s signs) lacks(wanted signs) bool {
	for word, all := range wanted {
		for _, sign := range all {
			if have := s[word]; len(have) > 0 && !slices.Contains(have, sign) {
				return true
			}
		}
	}
	return false
}
