package text_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/text"
)

func TestOnlyOneTakesTheSingular(t *testing.T) {
	for n, want := range map[int]string{0: "0 books", 1: "1 book", 2: "2 books"} {
		if got := text.Count(n, "book", "books"); got != want {
			t.Errorf("%d are %q", n, got)
		}
	}
}
