package lexicon

import (
	"slices"
	"testing"
	"unicode"
)

func TestEachTraditionalCharacterHasOneThatIsNot(t *testing.T) {
	pairs := []rune(traditionalPairs)
	if len(pairs) < 5_000 || len(pairs)%2 != 0 || len(simplified()) != len(pairs)/2 {
		t.Fatalf("%d characters, %d pairs", len(pairs), len(simplified()))
	}
	for from, to := range simplified() {
		if _, again := simplified()[to]; again || from < firstHan || !unicode.Is(unicode.Han, from) || !unicode.Is(unicode.Han, to) {
			t.Errorf("%c becomes %c", from, to)
		}
	}
	if !slices.IsSorted(every(pairs, 2)) {
		t.Error("the pairs are not sorted")
	}
}

func every(all []rune, n int) (some []rune) {
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}
