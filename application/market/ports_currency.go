package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/money"
)

// CurrencyStore remembers the currency of the amounts in a database.
type CurrencyStore interface {
	// KeepCurrency remembers the currency and returns its code. If there are already amounts
	// in another currency, it changes nothing and returns that currency's code.
	// Transactions that call it run one after the other.
	KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error)
}
