package book_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
)

func post(name string, edition int, course string) book.Details {
	return book.Details{Name: name, Edition: edition, Course: course}
}

func TestASuggestionIsWhatMostPostsAgreeOn(t *testing.T) {
	for name, c := range map[string]struct {
		posts []book.Details // newest first
		want  book.Suggestion
	}{
		"one post": {[]book.Details{post("Calculus", 8, "MATH 161")}, book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"}},
		"two against one": {
			[]book.Details{post("Calclus", 1, "M"), post("Calculus", 8, "MATH 161"), post("Calculus", 8, "MATH 161")},
			book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"},
		},
		"one to one": {
			[]book.Details{post("Calculus", 9, "MATH 162"), post("Algebra", 8, "MATH 161")},
			book.Suggestion{Name: "Calculus", Edition: 9, Course: "MATH 162"},
		},
		"spellings of one title": {
			[]book.Details{post("Algebra", 1, "MATH 1"), post("Algebra", 1, "MATH 1"), post("calculus", 8, "math-161"), post("Calculus", 8, "MATH 161"), post("Calculus", 8, "MATH 161")},
			book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"},
		},
		"an edition of another title": {
			[]book.Details{post("Calculus", 8, "MATH 161"), post("Calculus", 8, "MATH 161"), post("Calculus", 7, "MATH 161"), post("Algebra", 7, "X 1"), post("Topology", 7, "X 1")},
			book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"},
		},
		"titles without letters": {
			[]book.Details{post("?!", 1, "…"), post("++", 2, "-")},
			book.Suggestion{Name: "?!", Edition: 1, Course: "…"},
		},
	} {
		if got, ok := book.Suggest(c.posts); !ok || got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got, ok := book.Suggest(nil); ok || got != (book.Suggestion{}) {
		t.Errorf("without posts: %+v", got)
	}
}

func TestTheErrorOfASuggestionNamesEveryInvalidField(t *testing.T) {
	for _, s := range []book.Suggestion{{Name: "Calculus"}, {Name: "Calculus", Edition: 1000, Course: "MATH 161"}} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	err := book.Suggestion{Name: " ", Edition: -1, Course: strings.Repeat("x", 41)}.Check()
	if f := fault.As(err); f == nil || len(f.Fields) != 3 {
		t.Errorf("got %v", err)
	}
}
