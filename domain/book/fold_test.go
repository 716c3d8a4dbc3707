package book_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

func TestSignificantWordsLeaveOutArticles(t *testing.T) {
	for in, want := range map[string]string{
		"The Art of the Art":        "art",
		"Introduction to Biology":   "introduction biology",
		"To be in the":              "be",
		"Of the":                    "of the",
		"Le droit de la mer":        "droit mer",
		"":                          "",
		"C in a Nutshell and More!": "c nutshell more",
	} {
		if got := strings.Join(book.Significant(in), " "); got != want {
			t.Errorf("%q keeps %q, want %q", in, got, want)
		}
	}
}

func TestACourseWithAFullWidthLetterIsFound(t *testing.T) {
	q := must.Get(book.ParseQuery("csc172"))(t)
	hits := book.Rank(q, "", []book.Candidate{{ID: 1, Course: "CSＣ 172"}})
	if len(hits) != 1 || hits[0].Score != book.SameCourse {
		t.Errorf("ranks %+v", hits)
	}
}

func TestACandidateIsForACourseIfAndOnlyIfTheKeysAreEqual(t *testing.T) {
	course := rapid.StringOfN(rapid.SampledFrom([]rune("cC1-_ .'éＣ２²/")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		q := must.Get(book.ParseQuery(course.Draw(t, "text")))(t)
		c := book.Candidate{ID: 1, Course: course.Draw(t, "course")}
		hits := book.Rank(q, "", []book.Candidate{c})
		if same := len(hits) == 1 && hits[0].Score == book.SameCourse; same != (q.Key != "" && q.Key == text.Key(c.Course)) {
			t.Fatalf("%q and %q: %v", q.Key, c.Course, hits)
		}
	})
}

// unfolding are characters that fold to many letters (squared words, the longest ligature),
// letters of four bytes, and separators.
var unfolding = []rune("㌖㍇ﷺﷻ⑽㋿½Ⅷﬃß\U00020000\U0001F14E \u00df-a1'")

func TestWordsAndKeysAreBoundedWhateverTheLetters(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom(unfolding), 0, 400, -1), rapid.StringOfN(rapid.SampledFrom(unfolding[:9]), 200, 400, -1))
	rapid.Check(t, func(t *rapid.T) { bounded(t, texts.Draw(t, "text")) })
}

func FuzzFolding(f *testing.F) {
	for _, s := range []string{"", "Calculus", strings.Repeat("㌖", 300), strings.Repeat("ﷺ", 300), strings.Repeat("\U00020000", 300), strings.Repeat("ab", 500), "\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { bounded(t, s) })
}

// bounded checks the size of what a text adds to indexes: its words, its keys and their
// spellings. Postgres refuses lexemes of 2,047 bytes and index keys of 2,705.
func bounded(t rapid.TB, s string) {
	t.Helper()
	if key := text.Key(s); len(key) > 1200 {
		t.Fatalf("%+q has a key of %d bytes", s, len(key))
	}
	if title := book.TitleKey(s); utf8.RuneCountInString(title) > book.MaxName || len(title) > 1200 {
		t.Fatalf("%+q has a title of %d bytes", s, len(title))
	}
	kept := 0
	for _, term := range (book.Book{Details: book.Details{Name: s}}).Terms() {
		spellings := book.Spellings(term)
		if n := utf8.RuneCountInString(term); n > 64 || len(spellings) > 33 {
			t.Fatalf("%+q has a word of %d letters with %d spellings", s, n, len(spellings))
		}
		for _, k := range spellings {
			kept += len(k) + len(term)
		}
	}
	if kept > 128<<10 {
		t.Fatalf("%+q has %d bytes of spellings", s, kept)
	}
}

func TestOnlyTheEndOfAVeryLongWordIsCutOff(t *testing.T) {
	long := strings.Repeat("abcdefgh", 8)
	if got := text.Words("of " + long + "ijk and more"); !slices.Equal(got, []string{"of", long, "and", "more"}) {
		t.Errorf("becomes %q", got)
	}
	name := strings.Repeat("word ", book.MaxName/5)
	if got := text.Words(name); len(got) != book.MaxName/5 {
		t.Errorf("of %d words %d are left", book.MaxName/5, len(got))
	}
}

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
		if got := strings.Join(text.Words(in), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestACodeKeepsWhatATitleElides(t *testing.T) {
	if got := text.Key("Université d'Ottawa"); got != "universitedottawa" {
		t.Errorf("got %q", got)
	}
}

func TestATitleIsFoundWithAndWithoutItsElidedArticle(t *testing.T) {
	b := book.Book{ID: 1, Details: book.Details{Name: "Leçons sur l'énergie", Course: "PHY 1"}}
	c := book.Candidate{ID: 1, Name: b.Name, Course: b.Course}
	for _, text := range []string{"énergie", "l'énergie", "L’energie", "leçons énergie", "d'énergie"} {
		q, err := book.ParseQuery(text)
		if hits := book.Rank(q, "", []book.Candidate{c}); err != nil || len(hits) != 1 || hits[0].Relevance() < 3000 {
			t.Errorf("%q finds %+v, %v", text, hits, err)
		}
	}
}

func TestElisionsAreRemovedInOneLanguageOfLetters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("lLdqu'’‘ aé-xh\xff"))).Draw(t, "text")
		words := text.Words(s)
		if other := text.Words(s + " é"); strings.Join(other, " ") != strings.TrimSpace(strings.Join(words, " ")+" e") {
			t.Fatalf("%q becomes %q, and %q before another word", s, words, other)
		}
	})
}
