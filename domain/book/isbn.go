package book

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// ISBN is thirteen digits with a valid check digit; empty: none.
type ISBN string

// music follows 979 in the numbers of printed music (ISMN).
const music = '0'

// maxISBN is how many bytes an ISBN may have, separators included.
const maxISBN = 64

// hyphens replaces typographic hyphens and no-break spaces, which copied texts contain.
var hyphens = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2212", "-", "\u00a0", " ")

// ParseISBN parses ten or thirteen digits, with or without hyphens or spaces between them,
// and verifies the check digit. It converts ten digits to thirteen. It returns false for
// anything else.
func ParseISBN(s string) (ISBN, bool) {
	if len(s) > maxISBN {
		return "", false
	}
	d, ok := bare(hyphens.Replace(s))
	switch {
	case !ok:
		return "", false
	case len(d) == 10 && check10(d[:9]) == d[9]:
		d = "978" + d[:9]
		return ISBN(d + string(check13(d))), true
	case len(d) == 13 && (d[:3] == "978" || d[:3] == "979" && d[3] != music) && check13(d[:12]) == d[12]:
		return ISBN(d), true
	}
	return "", false
}

// bare removes single separators between digits; false if there are other characters or
// the number of digits is wrong.
func bare(s string) (string, bool) {
	var b strings.Builder
	separated := true // a separator may neither come first nor follow another
	for i, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9', (c == 'X' || c == 'x') && i == len(s)-1 && b.Len() == 9:
			b.WriteByte(c)
			separated = false
		case (c == '-' || c == ' ') && !separated:
			separated = true
		default:
			return "", false
		}
	}
	return strings.ToUpper(b.String()), !separated && (b.Len() == 10 || b.Len() == 13)
}

// check10 is the check digit of nine digits: weights 10 to 2, modulo 11
// (ISO 2108:1992).
func check10(d string) byte {
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(d[i]-'0')
	}
	switch r := (11 - sum%11) % 11; r {
	case 10:
		return 'X'
	default:
		return byte('0' + r)
	}
}

// check13 is the check digit of twelve digits: weights 1 and 3 in turn, modulo
// 10 (ISO 2108:2017).
func check13(d string) byte {
	sum := 0
	for i := range 12 {
		sum += int(d[i]-'0') * (1 + 2*(i%2))
	}
	return byte('0' + (10-sum%10)%10)
}

// misread matches a number of thirteen digits with letters in the place of some, which lookalikes puts right.
var (
	misread    = regexp.MustCompile(`\b97[89][-0-9OoIl]{10,14}\b`)
	lookalikes = strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1")
)

// fewestDigits are those of a misread number that are digits for certain: 978 or 979.
const fewestDigits = 3

func countDigits(s string) (n int) {
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// FindISBN finds the first ISBN in a text that may hold anything else: labels, an address of a shop, the
// words of a title. It returns the text without it and its label; without one, the text as it is.
func FindISBN(typed string) (found ISBN, rest string) {
	plain := plainDigits(typed)
	if countDigits(plain) < fewestDigits { // most searches: the pattern costs more than all else here
		return "", typed
	}
	plain = misread.ReplaceAllStringFunc(plain, lookalikes.Replace)
	isbn, from, to := nextISBN(plain, 0)
	if isbn == "" {
		return "", typed
	}
	before := strings.TrimRight(plain[:from], "-: ")
	for _, label := range []string{"-13", "-10", "13", "10", "isbn"} {
		if n := len(before) - len(label); n >= 0 && strings.EqualFold(before[n:], label) && (label == "isbn" ||
			strings.Contains(strings.ToLower(before), "isbn")) {
			before = strings.TrimRight(before[:n], "-: ")
		}
	}
	return isbn, wordsBeside(before, plain[to:])
}

// withoutZero reads an ISBN of ten digits whose first zero a spreadsheet has dropped.
func withoutZero(s string) ISBN {
	if len(s) != 9 {
		return ""
	}
	isbn, _ := ParseISBN("0" + s)
	return isbn
}

// plainDigits returns a text with one form of each digit and letter.
func plainDigits(s string) string { return strings.Map(text.Digit, norm.NFKC.String(s)) }

// nextISBN returns the first ISBN at or after a place, and where it begins and ends.
func nextISBN(plain string, at int) (found ISBN, from, to int) {
	for start := at; start < len(plain); start++ {
		if !isDigit(plain[start]) || start > 0 && isDigit(plain[start-1]) {
			continue
		}
		if isbn, end := isbnAt(plain, start); isbn != "" {
			return isbn, start, end
		}
	}
	return "", 0, 0
}

// ISBNsIn returns the distinct ISBNs in a text: those of thirteen digits or, if there are none, those of ten.
// The last ten digits of a wrong number of thirteen do not count.
func ISBNsIn(typed string) []ISBN {
	plain := plainDigits(typed)
	var long, short []ISBN
	for at := 0; ; {
		isbn, from, to := nextISBN(plain, at)
		if isbn == "" {
			break
		}
		at = to
		before := strings.TrimRight(plain[:from], "- ")
		switch {
		case digitsIn(plain[from:to]) == 13:
			long = append(long, isbn)
		case !strings.HasSuffix(before, "978") && !strings.HasSuffix(before, "979"):
			short = append(short, isbn)
		}
	}
	if len(long) > 0 {
		return distinctISBNs(long)
	}
	return distinctISBNs(short)
}

// WhyNoISBN says what is wrong with a text that should hold one ISBN.
func WhyNoISBN(typed string) string {
	if len(ISBNsIn(typed)) > 1 {
		return "This has several ISBNs. Leave only the one of the book."
	}
	return "Must be 10 or 13 digits with a correct check digit."
}

func digitsIn(s string) (n int) {
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

func distinctISBNs(all []ISBN) []ISBN {
	slices.Sort(all)
	return slices.Compact(all)
}

// isbnAt returns the ISBN that begins at a digit, and where it ends: one of thirteen digits rather than
// of their first ten.
func isbnAt(s string, start int) (found ISBN, end int) {
	var digits []byte
	dotted := false // only a number of thirteen digits has dots
	for at := start; at < len(s) && len(digits) < 13; {
		r, n := utf8.DecodeRuneInString(s[at:])
		at += n
		switch {
		case r >= '0' && r <= '9', (r == 'x' || r == 'X') && len(digits) == 9:
			digits = append(digits, byte(r))
			if at < len(s) && (isDigit(s[at]) || isASCIILetter(s[at]) && (len(digits) != 9 || s[at]|0x20 != 'x')) {
				continue
			}
			if isbn, ok := ParseISBN(string(digits)); ok && (!dotted || len(digits) == 13) {
				found, end = isbn, at
			}
		case r == ' ' || r == '-' || r == '−' || unicode.Is(unicode.Pd, r):
		case r == '.' && (strings.HasPrefix(string(digits), "978") || strings.HasPrefix(string(digits), "979")):
			dotted = true
		default:
			return found, end
		}
	}
	return found, end
}

// wordsBeside joins what surrounds an ISBN, unless it is an address.
func wordsBeside(before, after string) string {
	if strings.Contains(before, "://") {
		_, after, _ = strings.Cut(after, " ")
		if i := strings.LastIndexByte(before, ' '); i >= 0 {
			before = before[:i]
		} else {
			before = ""
		}
	}
	return strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(after))
}

func isDigit(c byte) bool       { return c >= '0' && c <= '9' }
func isASCIILetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
