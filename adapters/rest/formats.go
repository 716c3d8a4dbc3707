package rest

import (
	"encoding/json"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// formats are the checks behind the document's format keywords. They apply the
// domain's own rules, so that what is wrong with one field is said together with
// what is wrong with the others.
var formats = openapi.Formats{
	"text":  onText(func(s string) bool { return book.Printable(s, false) }, "Must not hold control characters."),
	"line":  onText(isLine, "Must not be blank or hold control characters."),
	"lines": onText(func(s string) bool { return book.Printable(s, true) }, "Must not hold control characters other than line breaks."),
	"free":  func(any) string { return "" },
	"address": onText(func(s string) bool {
		_, err := user.ParseEmail(s)
		return err == nil
	}, "Must be an email address."),
	"isbn": onText(func(s string) bool {
		_, ok := book.ParseISBN(s)
		return ok || s == ""
	}, "Must be an ISBN of 10 or 13 digits with a right check digit."),
	"money":     checkMoney,
	"day":       checkDay,
	"date-time": func(any) string { return "" }, // in answers only
	"double":    func(any) string { return "" }, // in answers only
}

func onText(holds func(string) bool, sentence string) openapi.Format {
	return func(v any) string {
		if s, ok := v.(string); ok && !holds(s) {
			return sentence
		}
		return ""
	}
}

func isLine(s string) bool { return book.Printable(s, false) && !text.Blank(s) }

func checkMoney(v any) string {
	n, _ := v.(json.Number)
	if _, err := money.Parse(string(n)); err != nil {
		return "Must be dollars with at most two decimals, such as 12.50."
	}
	return ""
}

func checkDay(v any) string {
	if _, ok := wire.ParseDate(v); !ok {
		return "Must be a date: 2026-08-31, RFC 3339, Unix milliseconds, or {year, month, day}."
	}
	return ""
}
