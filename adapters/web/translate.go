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

// ErrorMessage returns the message of err for people, in their language.
func ErrorMessage(lang user.Lang, err error) string {
	if f := fault.As(err); f != nil {
		for _, code := range []string{f.Details["reason"], f.Code} {
			if s, ok := Catalogues[lang].Lookup("error", code); ok {
				return s
			}
		}
	}
	return Translate(lang, httpx.PublicMessage(err))
}
