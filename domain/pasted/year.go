package pasted

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
)

// fourDigits is a number of four digits, or eight that begin with a year as in 20090301.
var fourDigits = regexp.MustCompile(`(?:^|[^0-9])([0-9]{4})(?:[01][0-9][0-3][0-9])?(?:$|[^0-9])`)

// Year returns the year in which a book was published from what catalogues write: "2009", "March 3, 2009", "2009-03",
// "c1998", "[1998?]", "2009年3月". Of several it is the first, "1998-2001" began in 1998, unless a cataloguer has corrected
// it: "1998 [i.e. 1999]". It returns false for what names none, such as "19--", "n.d." or the placeholder "9999".
func Year(typed string) (int, bool) {
	s := plain(typed, maxValue)
	if _, corrected, ok := strings.Cut(s, "i.e."); ok {
		s = corrected
	}
	for {
		at := fourDigits.FindStringSubmatchIndex(s)
		if at == nil {
			return 0, false
		}
		if year, _ := strconv.Atoi(s[at[2]:at[3]]); year >= book.MinYear && year <= book.MaxYear {
			return year, true
		}
		s = s[at[3]:] // what stands behind a number can stand before the next
	}
}
