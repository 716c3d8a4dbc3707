package course_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/test/must"
)

func TestALineIsACourseWithItsBook(t *testing.T) {
	c := must.Get(course.Draft{Code: " CSC 172 ", Title: "Data\u200b Structures", ISBN: "0-262-03384-4", Name: "<b>Algorithms</b>", Edition: "3"}.Check())(t)
	if want := (course.Book{Name: "<b>Algorithms</b>", ISBN: "9780262033848", Edition: 3}); c.Code != "CSC 172" || c.Title != "Data Structures" || len(c.Books) != 1 || c.Books[0] != want {
		t.Errorf("got %+v, want the book %+v", c, want)
	}
	if c, err := (course.Draft{Code: "ART 1"}).Check(); err != nil || len(c.Books) != 0 {
		t.Errorf("a course without books: %+v, %v", c, err)
	}
	if got, want := (course.Course{Code: "CSC-172", Title: "Algèbre"}).Words(), []string{"csc", "172", "csc172", "algebre"}; !slices.Equal(got, want) {
		t.Errorf("the words are %q, want %q", got, want)
	}
}

func TestOneAnswerNamesEveryWrongField(t *testing.T) {
	long := strings.Repeat("x", 301)
	for want, d := range map[string]course.Draft{
		"course":                         {Code: "?!"},
		"course edition isbn name title": {Code: long, Title: long, ISBN: "9780262033849", Name: "a\x00b", Edition: "0"},
		"name":                           {Code: "CSC 172", ISBN: "9780262033848"},
		"edition name":                   {Code: "CSC 172", Edition: "deluxe"},
		"title":                          {Code: "CSC 172", Title: "bad \xff"},
	} {
		_, err := d.Check()
		f := fault.As(err)
		if f == nil || !errors.Is(err, course.ErrInvalid) {
			t.Fatalf("%+v: %v", d, err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(f.Fields)), " "); got != want {
			t.Errorf("%+v: wrong are %s, want %s", d, got, want)
		}
	}
	if _, err := (course.List{University: "...", Term: strings.Repeat("2", 41)}).Check(); len(fault.As(err).Fields) != 2 {
		t.Errorf("a list: %v", err)
	}
	if l, err := (course.List{University: " Yale ", Term: "2026-fall"}).Check(); err != nil || l.University != "Yale" || text.Key(l.Term) != text.Key("2026 FALL") {
		t.Errorf("a list: %+v, %v", l, err)
	}
}

func TestACourseHasABookOnceAndTwentyAtMost(t *testing.T) {
	line := func(name, isbn, title string) course.Course {
		return must.Get(course.Draft{Code: "CSC 172", Name: name, ISBN: isbn, Title: title}.Check())(t)
	}
	c := line("Algorithms", "9780262033848", "")
	for _, same := range []course.Course{line("Other words", "0262033844", ""), line("ALGORITHMS", "", "Data Structures"), line("", "", "Later")} {
		if err := c.Add(same); err != nil || len(c.Books) != 1 {
			t.Errorf("with %+v: %+v, %v", same, c, err)
		}
	}
	if c.Title != "Data Structures" {
		t.Errorf("the title is %q, want the first one", c.Title)
	}
	for i := range course.MaxBooks - 1 {
		must.Do(t, c.Add(line(fmt.Sprint("Volume ", i), "", "")))
	}
	if err := c.Add(line("One more", "", "")); !errors.Is(err, course.ErrInvalid) || len(c.Books) != course.MaxBooks {
		t.Errorf("with %d books: %v", len(c.Books), err)
	}
	if err := c.Add(line("Algorithms", "", "")); err != nil {
		t.Errorf("one that it has: %v", err)
	}
}

func TestBooksAreTheSameByISBNOrByCourseAndTitle(t *testing.T) {
	s := course.Set{}
	s.Add("CSC 172", "Algorithms", "9780262033848", 1)
	s.Add("MTH 1", "Topology", "", 2)
	for _, c := range []struct {
		code, name, isbn string
		want             int64
	}{
		{"X 1", "Anything", "9780262033848", 1}, {"csc-172", "ALGORITHMS", "", 1}, {"CSC 172", "Algorithms", "9780306406157", 0},
		{"X 1", "Algorithms", "", 0}, {"mth1", "topology", "9780306406157", 2}, {"mth1", "topology", "", 2}, {"MTH 2", "Topology", "", 0},
	} {
		isbn, _ := course.Draft{Code: "x", Name: "x", ISBN: c.isbn}.Check()
		if got := s.Find(c.code, c.name, isbn.Books[0].ISBN); got != c.want {
			t.Errorf("%+v is %d, want %d", c, got, c.want)
		}
	}
}
