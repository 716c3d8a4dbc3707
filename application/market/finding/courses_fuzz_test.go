package finding_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Each line of any file is accepted or rejected with a reason, or the whole file is refused.
func FuzzAFileOfCourses(f *testing.F) {
	for _, file := range []string{
		"course,title,isbn,name,edition\nCSC 172,Data Structures,0-262-03384-4,Algorithms,3\n", "\ufeffNAME;course;TITLE\n\"a\nb\";x;\n\"broken;;\n",
		"course\ttitle\tname\n=1+1\t@x\t-2\n\n\r\n", "course,title,name\n\xff,,\n", "course,title,name,name\n", "a\x00", "course,title,name\nx,y,z,too many\n", "",
	} {
		f.Add([]byte(file))
	}
	lists := finding.New(market.Deps{}, nil, nil, finding.Config{}).CourseLists
	dean := user.Caller{ID: 1, Role: user.Admin}
	f.Fuzz(func(t *testing.T, file []byte) {
		out, err := lists.Import(t.Context(), dean, course.List{University: "Campus", Term: "fall"}, file, true)
		if err != nil {
			if !errors.Is(err, market.ErrCSV) {
				t.Errorf("got %v, want %v", err, market.ErrCSV)
			}
			return
		}
		if out.List.Courses > out.Accepted || out.List.Books > out.Accepted || out.Accepted+len(out.Rejected) > finding.MaxCourseLines {
			t.Errorf("%d courses and %d books in %d lines, %d rejected", out.List.Courses, out.List.Books, out.Accepted, len(out.Rejected))
		}
		last := 1
		for _, r := range out.Rejected {
			if r.Line <= last || len(r.Fields) == 0 {
				t.Errorf("line %d after %d is rejected for %v", r.Line, last, r.Fields)
			}
			last = r.Line
		}
	})
}

// Of any texts, a line that is accepted has what the requests and lists of books can store.
func FuzzALineOfCourses(f *testing.F) {
	f.Add("CSC 172", "Data Structures", "0-262-03384-4", "Algorithms", "3")
	f.Add("\u202eC", "\x00", "978", "\xff", "-1")
	f.Fuzz(func(t *testing.T, code, title, isbn, name, edition string) {
		c, err := course.Draft{Code: code, Title: title, ISBN: isbn, Name: name, Edition: edition}.Check()
		if err != nil {
			return
		}
		if !utf8.ValidString(c.Code+c.Title) || text.Key(c.Code) == "" {
			t.Errorf("accepted %+v", c)
		}
		for _, b := range c.Books {
			d := book.RequestDraft{Name: b.Name, Course: c.Code, ISBN: string(b.ISBN)}
			if b.Edition != 0 {
				d.Edition = &b.Edition
			}
			if got, err := d.Check(market.Deps{}.Currency); err != nil || got.Name != b.Name || got.Course != c.Code {
				t.Errorf("%+v cannot be requested: %+v, %v", c, got, err)
			}
		}
	})
}
