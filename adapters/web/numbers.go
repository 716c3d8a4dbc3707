package web

import (
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// FormatIn writes the market's values for the readers of a language.
func (o Options) FormatIn(lang user.Lang) locale.Format {
	return locale.Format{Lang: lang, Currency: o.Currency, Zone: o.Zone}
}

// Number formats an integer: 12,345.
func Number(lang user.Lang, n int) string { return locale.Format{Lang: lang}.Number(n) }

// AmountOf parses an amount as people type it: the sign or code of the currency and a decimal
// comma are allowed.
func AmountOf(c money.Currency, typed string) (money.Amount, *fault.Error) {
	for _, sign := range []string{locale.Format{Currency: c}.Sign(), c.Code()} {
		typed = strings.TrimSpace(typed)
		typed = strings.TrimSuffix(strings.TrimPrefix(typed, sign), sign)
	}
	a, err := c.Parse(strings.Replace(strings.TrimSpace(typed), ",", ".", 1))
	if err != nil {
		return 0, fault.As(err)
	}
	return a, nil
}
