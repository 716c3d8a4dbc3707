package book_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/book"
)

func TestACourseCodeIsWrittenInOneForm(t *testing.T) {
	for typed, want := range map[string]string{
		"MATH165": "MATH 165", "math 165": "MATH 165", "Math-165": "MATH 165", "MATH 165": "MATH 165", "CSC  172": "CSC 172", "me649w": "ME 649W",
		"": "", "165": "165", "Organic chemistry": "Organic chemistry", "Génie 12": "Génie 12", "M 1": "M 1", "MATHEMATICS 165": "MATHEMATICS 165",
		"MATH 165 / 166": "MATH 165 / 166", "6.001": "6.001", "CS-": "CS-", "MATH 165 (fall)": "MATH 165 (fall)",
	} {
		if got := book.CourseLabel(typed); got != want {
			t.Errorf("%q is written %q, want %q", typed, got, want)
		}
	}
}
