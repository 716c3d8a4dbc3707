package isbntable_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/isbntable"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/test/must"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "isbn.csv")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func open(t *testing.T, text string) *isbntable.Table {
	t.Helper()
	table := must.Get(isbntable.Open(write(t, text)))(t)
	t.Cleanup(func() { _ = table.Close() })
	return table
}

func TestATableFindsItsBooks(t *testing.T) {
	algorithms := book.Suggestion{Name: "Introduction to Algorithms", Edition: 3, Course: "CSC 172"}
	for name, text := range map[string]string{
		"as documented":            "isbn,name,edition,course\n0-306-40615-2,Other,1,X\n978-0-262-03384-8,Introduction to Algorithms,3,CSC 172\n",
		"with its authors":         "isbn,authors,name,edition,course\n9780262033848,,Introduction to Algorithms,3,CSC 172\n9780306406157,Somebody,Other,1,X\n",
		"in another order":         "Course,Publisher,NAME,ISBN,edition\nX,P,Other,9780306406157,1\nCSC 172,MIT,Introduction to Algorithms,9780262033848,3",
		"from a spreadsheet":       "\ufeffisbn,name,edition,course\r\n9780306406157,\"Quoted, twice\",1,X\r\n9780262033848, Introduction to Algorithms ,3,CSC 172\r\n",
		"with an ISBN of ten":      "isbn,name,edition,course\n0262033844,Introduction to Algorithms,3,CSC 172\n",
		"with empty lines between": "isbn,name,edition,course\n\n\n9780262033848,Introduction to Algorithms,3,CSC 172\n\n",
	} {
		table := open(t, text)
		if got, ok, err := table.FindISBN("9780262033848"); err != nil || !ok || got != algorithms {
			t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
		}
		if got, ok, err := table.FindISBN("9783161484100"); err != nil || ok || got != (book.Suggestion{}) {
			t.Errorf("%s: an unknown ISBN is %+v, %v, %v", name, got, ok, err)
		}
	}
}

func TestATableMaySayTheYear(t *testing.T) {
	table := open(t, "isbn,name,year\n9780262033848,Algorithms,July 2009\n9780306406157,Signals,\n")
	for isbn, want := range map[book.ISBN]int{"9780262033848": 2009, "9780306406157": 0} {
		if got, ok, err := table.FindISBN(isbn); err != nil || !ok || got.Year != want {
			t.Errorf("%s: %+v, %v, %v", isbn, got, ok, err)
		}
	}
}

func TestATableMayLackEditionsAndCourses(t *testing.T) {
	for _, text := range []string{"isbn,name\n9780262033848,Algorithms", "isbn,name,edition,course\n9780262033848,Algorithms,,"} {
		if got, ok, err := open(t, text).FindISBN("9780262033848"); err != nil || !ok || got != (book.Suggestion{Name: "Algorithms"}) {
			t.Errorf("%q: %+v, %v, %v", text, got, ok, err)
		}
	}
	if n := open(t, "isbn,name\n").Len(); n != 0 {
		t.Errorf("a table without lines has %d", n)
	}
}

func TestAWrongTableIsRefusedWithItsLine(t *testing.T) {
	const header = "isbn,name,edition,course\n9780306406157,Fine,1,X\n"
	for text, want := range map[string]string{
		"":                                "the file is empty",
		"9780262033848,Algorithms,3,X\n":  "line 1: the columns isbn and name are required",
		"isbn,title\n":                    "line 1: the columns isbn and name are required",
		"isbn;name\n":                     "in UTF-8 with commas between its cells, and has \"isbn;name\"",
		"isbn,name,ISBN\n":                "line 1: the column ISBN is named twice",
		header + "9780262033849,A,3,X\n":  `line 3: isbn: "9780262033849" is not 10 or 13 digits`,
		header + "9780262033848,A,three,": `line 3: edition: "three" is not a number from 1 to 1000`,
		header + "9780262033848,A,1001,":  `line 3: edition: "1001" is not`,
		header + "\n9780262033848, ,3,X":  "line 4: name: Must be 1 to 300 characters",
		header + "9780262033848,A,3," + strings.Repeat("x", 41):     "line 3: course: Must be 1 to 40",
		"isbn,name,year\n9780262033848,A,soon":                      `line 2: year: "soon" names no year from 1450 to 2100`,
		header + "9780262033848,A\x07,3,X":                          "line 3: name: Must be 1 to 300",
		header + "9780262033848,A,3\n":                              "line 3: wrong number of fields",
		header + "9780262033848,\"A,3,X\n":                          "line 3",
		header + "9780262033848,B,1,X\n0306406152,Again,1,X\n":      "line 4: the ISBN 9780306406157 is also in line 2",
		header + "9780262033848,A,3," + strings.Repeat(" ", 70_000): "line 3: the line is longer than 64 KiB",
	} {
		path := write(t, text)
		_, err := isbntable.Open(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing.csv")} {
		if _, err := isbntable.Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// isbnOf returns the nth ISBN.
func isbnOf(n int) book.ISBN {
	for check := range 10 {
		if isbn, ok := book.ParseISBN(fmt.Sprintf("978%09d%d", n, check)); ok {
			return isbn
		}
	}
	panic("no check digit fits")
}

func TestEveryLineOfALargeTableIsFoundByManyAtOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString("course,isbn,name\n")
	const lines = 20_000
	for i := range lines {
		n := i * 7919 % lines // not in order
		fmt.Fprintf(&text, "C %d,%s,\"Book, %d\"\n", n, isbnOf(n), n)
	}
	table := open(t, text.String())
	must.Together(4, func(first int) {
		for n := first; n < lines; n += 4 {
			want := book.Suggestion{Name: fmt.Sprint("Book, ", n), Course: fmt.Sprint("C ", n)}
			if got, ok, err := table.FindISBN(isbnOf(n)); err != nil || !ok || got != want {
				t.Errorf("%d: %+v, %v, %v", n, got, ok, err)
			}
		}
	})
}

func TestATableThatIsOverwrittenSaysSoInsteadOfNamingAnotherBook(t *testing.T) {
	path := write(t, "isbn,name\n9780262033848,Algorithms\n")
	table := must.Get(isbntable.Open(path))(t)
	defer func() { _ = table.Close() }()
	must.Do(t, os.WriteFile(path, []byte("isbn,name\n9780306406157,Something else\n"), 0o600))
	if got, ok, err := table.FindISBN("9780262033848"); err == nil || ok || !strings.Contains(err.Error(), "line 2 changed") {
		t.Errorf("overwritten: %+v, %v, %v", got, ok, err)
	}
}
