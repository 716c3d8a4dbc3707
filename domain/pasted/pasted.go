// Package pasted reads what people paste or type for the fields of a book, in the forms in which books, shops and
// spreadsheets write it: "ISBN 978-0-13-468599-1 (pbk.)", "1.234,50 €", "7.12.2026", "comme neuf", "3rd ed.". It
// guesses nothing: what can be read in two ways is refused, or decided by a rule that its function states.
package pasted

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// maxValue is how many bytes a price, date, condition or edition may have.
const maxValue = 100

// plain returns a short text with one form of each digit, letter and space, and without what cannot be seen.
// It returns "" for a longer one.
func plain(typed string, most int) string {
	if len(typed) > most || !utf8.ValidString(typed) {
		return ""
	}
	s := strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.Is(unicode.Nd, r):
			return text.Digit(r)
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, norm.NFKC.String(text.StripHidden(typed)))
	return strings.Join(strings.Fields(s), " ")
}

// Line returns a text of one line, such as a title or a course code, without hidden characters, and with
// single spaces for tabs and line breaks.
func Line(typed string) string { return strings.Join(strings.Fields(text.StripHidden(typed)), " ") }

// Course returns a course code in any shape as a line, with plain letters and digits for wide ones.
func Course(typed string) string { return Line(norm.NFKC.String(typed)) }

// Lost reports whether a spreadsheet has written question marks for characters that the encoding of its file does not have:
// no title has three of them.
func Lost(cell string) bool { return strings.Contains(cell, "???") }

// guarded matches the apostrophe that our CSV files have before what would be a formula.
var guarded = regexp.MustCompile(`((?:^|[,;\t\v\f\r\n\x{85}\x{2028}\x{2029}，；])[\s\p{Z}\p{Cc}\p{Cf}"“”]*)'([=+\-@|＝＋－＠])`)

// formula matches the characters, including full-width ones, that start a formula at the beginning of a cell. A
// spreadsheet with another separator than the file splits our cells despite their quotes, so a cell can begin after any
// separator. Spreadsheets skip quotes, spaces and invisible characters before the formula.
var formula = regexp.MustCompile(`((?:^|[,;\t\v\f\r\n\x{85}\x{2028}\x{2029}，；])[\s\p{Z}\p{Cc}\p{Cf}"“”]*)([=+\-@|＝＋－＠])`)

// Inert returns a cell with an apostrophe before every character that would start a formula.
func Inert(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }

// Guarded returns the cell of a text with an apostrophe before every character that would start a formula, and before
// what a spreadsheet would read as a number or a date.
func Guarded(cell string) string {
	safe := Inert(cell)
	if ReadAsNumber(cell) && (cell[0] == '\'' || safe[0] != '\'') {
		return "'" + safe
	}
	return safe
}

// Unguarded returns the cell of a text without the apostrophes with which our CSV files keep spreadsheets
// from running or changing it.
func Unguarded(cell string) string {
	plain := guarded.ReplaceAllString(cell, "$1$2")
	if rest, is := strings.CutPrefix(plain, "'"); is && ReadAsNumber(rest) {
		return rest
	}
	return plain
}
