package book_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"pgregory.net/rapid"
)

func TestISBNsAreParsedInEveryForm(t *testing.T) {
	for in, want := range map[string]book.ISBN{
		"0306406152":        "9780306406157",
		"0-306-40615-2":     "9780306406157",
		"978-0-306-40615-7": "9780306406157",
		"978 0306406157":    "9780306406157",
		"080442957X":        "9780804429573",
		"0-8044-2957-x":     "9780804429573",
		"9791032719008":     "9791032719008",
		"0262033844":        "9780262033848",
	} {
		if got, ok := book.ParseISBN(in); !ok || got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"", "0", "0306406153", "9780306406158", "978030640615", "97803064061577", "0-306-40615--2", "-0306406152", "0306406152-",
		" 0306406152", "X306406152", "030640615Y", "08044X957X", "1234567890123", "９780306406157", "9780306406157\n", "080442957XX", "978080442957X",
		strings.Repeat("9", 1000), "0_306406152", "0000000000000",
		"9790260000438", "979-0-2600-0043-8", // printed music
	} {
		if got, ok := book.ParseISBN(in); ok {
			t.Errorf("%q was read as %q", in, got)
		}
	}
}

func TestAWrongDigitOrTwoSwappedOnesAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nine := fmt.Sprintf("%09d", rapid.IntRange(0, 999_999_999).Draw(t, "digits"))
		var ten string
		for _, c := range "0123456789X" {
			if _, ok := book.ParseISBN(nine + string(c)); ok {
				ten = nine + string(c)
			}
		}
		isbn, ok := book.ParseISBN(ten)
		if !ok || len(isbn) != 13 {
			t.Fatalf("%s has no check digit", nine)
		}
		if again, ok := book.ParseISBN(string(isbn)); !ok || again != isbn {
			t.Fatalf("%s is not parsed as itself", isbn)
		}
		i := rapid.IntRange(0, 8).Draw(t, "place")
		wrong := []byte(ten)
		wrong[i] = '0' + (wrong[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		if _, ok := book.ParseISBN(string(wrong)); ok {
			t.Fatalf("%s passes for %s", wrong, ten)
		}
		if i < 8 && ten[i] != ten[i+1] {
			swapped := []byte(ten)
			swapped[i], swapped[i+1] = ten[i+1], ten[i]
			if _, ok := book.ParseISBN(string(swapped)); ok {
				t.Fatalf("%s passes for %s", swapped, ten)
			}
		}
	})
}

func FuzzParseISBN(f *testing.F) {
	for _, s := range []string{"0-306-40615-2", "978-0-306-40615-7", "080442957X", "", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		isbn, ok := book.ParseISBN(s)
		if ok != (len(isbn) == 13) {
			t.Fatalf("%q: %q, %v", s, isbn, ok)
		}
		if again, same := book.ParseISBN(string(isbn)); ok && (!same || again != isbn) {
			t.Fatalf("%q became %q, which is %q", s, isbn, again)
		}
	})
}
