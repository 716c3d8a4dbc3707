package book_test

import (
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"pgregory.net/rapid"
)

// Signatures are stored: another way to make them would hide the requests of before.
func TestSignaturesStayWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  book.Signature
	}{{nil, 0}, {[]string{"algebra"}, 0x8000000100000}, {[]string{"linear", "algebra"}, 0x8001100100000}, {[]string{"é"}, 0x400000000000001}} {
		if got := book.Sign(c.words); got != c.want {
			t.Errorf("%v: %#x", c.words, int64(got))
		}
	}
}

func TestASetOfWordsHasItsPartsInItsSignature(t *testing.T) {
	words := rapid.SliceOf(rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		some, more := words.Draw(t, "some"), words.Draw(t, "more")
		if all := book.Sign(append(more, some...)); !all.Has(book.Sign(some)) || all < 0 {
			t.Errorf("%#x", int64(all))
		}
	})
}

func TestSignaturesTellMostNamesApart(t *testing.T) {
	taken := 0
	offered := book.Sign([]string{"introduction", "linear", "algebra", "applications", "strang"})
	for i := range 1000 {
		if offered.Has(book.Sign([]string{"strang", "essays" + strconv.Itoa(i)})) {
			taken++
		}
	}
	if taken > 100 {
		t.Errorf("%d of 1000 names that lack a word were taken", taken)
	}
}
