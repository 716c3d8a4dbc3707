package book_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"pgregory.net/rapid"
)

func TestWhatFrenchElidesIsNoPartOfAWord(t *testing.T) {
	for in, want := range map[string]string{
		"L'énergie":                        "energie",
		"L’ÉNERGIE":                        "energie",
		"‘L'énergie’":                      "energie",
		"Initiation à l'analyse":           "initiation a analyse",
		"Cours d’analyse, jusqu'à l'Œuvre": "cours analyse a oeuvre",
		"L'Hôpital, d'Holbach":             "hopital holbach",
		"Qu'est-ce que l'art ?":            "est ce que art",
		"O'Reilly's C's, M'Baye":           "oreillys cs mbaye",
		"rock'n'roll, don't, T'ang, l'":    "rocknroll dont tang l",
		"a\xffl'air":                       "a air",
	} {
		if got := strings.Join(book.Words(in), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestACodeKeepsWhatATitleElides(t *testing.T) {
	if got := book.Key("Université d'Ottawa"); got != "universitedottawa" {
		t.Errorf("got %q", got)
	}
}

func TestATitleIsFoundWithAndWithoutItsElidedArticle(t *testing.T) {
	b := book.Book{ID: 1, Details: book.Details{Name: "Leçons sur l'énergie", Course: "PHY 1"}}
	c := book.Candidate{ID: 1, Title: book.TitleKey(b.Name), Course: b.Course}
	for _, text := range []string{"énergie", "l'énergie", "L’energie", "leçons énergie", "d'énergie"} {
		q, err := book.ParseQuery(text)
		if hits := book.Rank(q, []book.Candidate{c}); err != nil || len(hits) != 1 || hits[0].Score < 3000 {
			t.Errorf("%q finds %+v, %v", text, hits, err)
		}
	}
}

func TestElisionsAreRemovedInOneLanguageOfLetters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("lLdqu'’‘ aé-xh\xff"))).Draw(t, "text")
		words := book.Words(s)
		if other := book.Words(s + " é"); strings.Join(other, " ") != strings.TrimSpace(strings.Join(words, " ")+" e") {
			t.Fatalf("%q becomes %q, and %q before another word", s, words, other)
		}
	})
}
