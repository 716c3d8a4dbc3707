package book_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/octavo-books/octavo/domain/book"
	"pgregory.net/rapid"
)

func TestTextsAreFoldedToWords(t *testing.T) {
	for in, want := range map[string]string{
		"Introduction to ALGORITHMS, 3rd": "introduction to algorithms 3rd",
		"Crème brûlée":                    "creme brulee",
		"Cre\u0300me":                     "creme",
		"Newton’s Principia; O'Reilly":    "newtons principia oreilly",
		"C++ / C#":                        "c c",
		"Œuvres de Æsop, Straße, Łódź":    "oeuvres de aesop strasse lodz",
		"ﬁnance ² Ⅳ":                      "finance 2 iv",
		"  a\u00a0b\u2003c\u200bd ":       "a b cd",
		"İstanbul ISTANBUL ıstanbul":      "istanbul istanbul istanbul",
		"線形代数 Ελληνικά ΆΛΦΑ":              "線形代数 ελληνικα αλφα",
		"!!! -- ":                         "",
		"snake_case e-mail":               "snake case e mail",
		"🎓 books":                         "books",
	} {
		if got := strings.Join(book.Words(in), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestCourseCodesAreComparedFolded(t *testing.T) {
	for _, s := range []string{"CSC 172", "csc-172", "Csc172", " C.S.C. 1 7 2", "ＣＳＣ１７２"} {
		if got := book.Key(s); got != "csc172" {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

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

func TestWordsAreFoldedForGoodAndHoldLettersAndDigitsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		words := book.Words(s)
		if again := book.Words(strings.Join(words, " ")); !slices.Equal(again, words) {
			t.Fatalf("%q becomes %q, which becomes %q", s, words, again)
		}
		for _, w := range words {
			if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
				t.Fatalf("%q holds the word %q", s, w)
			}
		}
	})
}

// A letter that is not plain takes what stands before it the long way.
func TestPlainTextIsFoldedAsAnyOther(t *testing.T) {
	plain := rapid.StringOfN(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 0x7f, Stride: 1}}}), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := plain.Draw(t, "text")
		words, other := book.Words(s), book.Words(s+" é")
		if !slices.Equal(append(words, "e"), other) {
			t.Fatalf("%q becomes %q, and %q before another word", s, words, other)
		}
	})
}

func TestACourseWithAWideLetterIsFound(t *testing.T) {
	q, err := book.ParseQuery("csc172")
	if err != nil {
		t.Fatal(err)
	}
	hits := book.Rank(q, []book.Candidate{{ID: 1, Course: "CSＣ 172"}})
	if len(hits) != 1 || hits[0].Score != book.SameCourse {
		t.Errorf("ranks %+v", hits)
	}
}

func TestACandidateIsOfACourseExactlyWhenTheKeysAreEqual(t *testing.T) {
	course := rapid.StringOfN(rapid.SampledFrom([]rune("cC1-_ .'éＣ２²/")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		q, err := book.ParseQuery(course.Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		c := book.Candidate{ID: 1, Course: course.Draw(t, "course")}
		hits := book.Rank(q, []book.Candidate{c})
		if same := len(hits) == 1 && hits[0].Score == book.SameCourse; same != (q.Key != "" && q.Key == book.Key(c.Course)) {
			t.Fatalf("%q and %q: %v", q.Key, c.Course, hits)
		}
	})
}
