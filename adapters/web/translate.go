package web

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Translate returns an English text in a language. A text without a translation
// stays English; a test checks that every text has one. With arguments the text is
// a format for fmt.Sprintf.
func Translate(lang user.Lang, english string, args ...any) string {
	return Catalogues[lang].text(english, args...)
}

// plural returns one or many, translated and formatted with n. In French zero
// takes the singular.
func plural(lang user.Lang, n int, one, many string) string {
	return Catalogues[lang].plural(n, one, many, Number(lang, n))
}

// ErrorMessage returns the message of err for people, in their language. A sentence with a translation of
// its own says more than its code, which other rules share.
func ErrorMessage(lang user.Lang, err error) string {
	if f := fault.As(err); f != nil {
		if s, ok := Catalogues[lang].Lookup("error", f.Details["reason"]); ok {
			return s
		}
		if s, ok := Catalogues[lang].Lookup("error", f.Code); ok && Catalogues[lang][f.Msg] == nil {
			return s
		}
	}
	return Translate(lang, httpx.PublicMessage(err))
}
