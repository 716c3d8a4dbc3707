package web

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// translate returns an English text in a language. A text without a translation
// stays English; a test checks that every text has one. With arguments the text is
// a format for fmt.Sprintf.
func translate(lang user.Lang, english string, args ...any) string {
	return catalogues[lang].text(english, args...)
}

// plural returns one or many, translated and formatted with n. In French zero
// takes the singular.
func plural(lang user.Lang, n int, one, many string) string {
	return catalogues[lang].plural(n, one, many, number(lang, n))
}

// errorMessage returns the message of err for people, in their language.
func errorMessage(lang user.Lang, err error) string {
	if f := fault.As(err); f != nil {
		for _, code := range []string{f.Details["reason"], f.Code} {
			if s, ok := catalogues[lang].lookup("error", code); ok {
				return s
			}
		}
	}
	return translate(lang, httpx.PublicMessage(err))
}
