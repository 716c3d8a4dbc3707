package pasted

import (
	"regexp"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
)

// MaxISBN is how many bytes a text with an ISBN may have: enough for the address of a shop's page.
const MaxISBN = 2000

// ISBN returns the one ISBN that a text holds, whatever surrounds it: labels, punctuation, the words of a back
// cover, the address of a shop's page. A number of ten digits counts only if there is none of thirteen, and what
// follows the question mark of an address only if nothing before it is an ISBN. It returns false if there
// are several, or none.
//
// A number as a spreadsheet leaves it is read, too: without its first zero, or with signs between thousands.
func ISBN(typed string) (book.ISBN, bool) {
	if len(typed) > MaxISBN {
		return "", false
	}
	s := plain(typed, MaxISBN)
	if found, ok := numberISBN(s); ok {
		return found, true
	}
	if address, query, ok := strings.Cut(s, "?"); ok && query != "" && strings.Contains(address, "/") {
		if found := book.ISBNsIn(address); len(found) == 1 {
			return found[0], true
		}
	}
	found := book.ISBNsIn(s)
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

var (
	grouped   = regexp.MustCompile(`^[0-9]{1,3}([,.' ][0-9]{3}){3,4}$`)
	short     = regexp.MustCompile(`^[0-9]{8}[0-9Xx]$`)
	shortened = regexp.MustCompile(`(?i)^[0-9][.,][0-9]+E\+?1[0-2]$`)
)

// numberISBN reads an ISBN that a spreadsheet took for a number.
func numberISBN(s string) (book.ISBN, bool) {
	switch {
	case short.MatchString(s):
		return book.ParseISBN("0" + s)
	case grouped.MatchString(s):
		return book.ParseISBN(strings.NewReplacer(",", "", ".", "", "'", "", " ", "").Replace(s))
	}
	return "", false
}

// Shortened reports whether a spreadsheet has rounded a long number, as in 9.78013E+12: its digits are lost.
func Shortened(cell string) bool { return shortened.MatchString(plain(cell, maxValue)) }
