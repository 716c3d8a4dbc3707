package web

import (
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// FormatIn writes the market's values for the readers of a language.
func (o Options) FormatIn(lang user.Lang) locale.Format {
	return locale.Format{Lang: lang, Currency: o.Currency, Zone: o.Zone}
}

// Number formats an integer: 12,345.
func Number(lang user.Lang, n int) string { return locale.Format{Lang: lang}.Number(n) }

// AmountOf parses an amount as people type it, see pasted.Amount.
func AmountOf(c money.Currency, typed string) (money.Amount, *fault.Error) {
	a, ok := pasted.Amount(typed, c)
	if !ok {
		return 0, money.ErrInvalid.WithMsg(c.Hint())
	}
	return a, nil
}
