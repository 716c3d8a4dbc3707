// Package formats implements the formats that the document names with the rules of the domain.
package formats

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// In implements the format keywords of the document with the rules of the domain, so
// that all errors of a request are reported together. Amounts are in the currency.
func In(c money.Currency) openapi.Formats {
	all := maps.Clone(fixed)
	all["money"] = func(v any) string {
		if _, err := c.Parse(numberText(v)); err != nil {
			return c.Hint()
		}
		return ""
	}
	all["price"] = func(v any) string {
		a, err := c.Parse(numberText(v))
		switch {
		case err != nil:
			return c.Hint()
		case !book.ValidPrice(a):
			return book.PriceHint(c)
		}
		return ""
	}
	return all
}

// fixed are those that do not depend on the market.
var fixed = openapi.Formats{
	"text":  onText(func(s string) bool { return text.Printable(s, false) }, "Must not contain control characters."),
	"line":  onText(isLine, "Must not be blank or contain control characters."),
	"lines": onText(func(s string) bool { return text.Printable(s, true) }, "Must not contain control characters other than line breaks."),
	"free":  func(any) string { return "" },
	"address": onText(func(s string) bool {
		_, err := user.ParseEmail(s)
		return err == nil
	}, "Must be an email address."),
	"isbn": onText(func(s string) bool {
		_, ok := book.ParseISBN(s)
		return ok || s == ""
	}, "Must be an ISBN of 10 or 13 digits with a correct check digit."),
	"moment": onText(func(s string) bool {
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	}, "Must be a time such as 2026-09-07T14:00:00Z."),
	"handover": onText(func(s string) bool {
		_, ok := meeting.ParseCode(s)
		return ok
	}, "Must be the code that the buyer shows: eight digits and letters."),
	"day":       checkDay,
	"date-time": func(any) string { return "" }, // in responses only
	"double":    func(any) string { return "" }, // in responses only
	"binary":    func(any) string { return "" }, // in bodies that handlers check
}

func onText(valid func(string) bool, message string) openapi.Format {
	return func(v any) string {
		if s, ok := v.(string); ok && !valid(s) {
			return message
		}
		return ""
	}
}

func isLine(s string) bool { return text.Printable(s, false) && !text.Blank(s) }

func numberText(v any) string {
	n, _ := v.(json.Number)
	return string(n)
}

func checkDay(v any) string {
	if _, ok := wire.ParseDate(v); !ok {
		return "Must be a date: 2026-08-31, RFC 3339, Unix milliseconds, or {year, month, day}."
	}
	return ""
}
