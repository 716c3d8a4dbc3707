package memstore

import (
	"context"

	"github.com/octavo-books/octavo/domain/money"
)

// currencyTable is market.CurrencyStore.
type currencyTable struct{ table }

func (t currencyTable) KeepCurrency(_ context.Context, c money.Currency) (string, error) {
	if t.currency == "" || !t.holdAmounts() {
		t.currency = c.Code()
	}
	return t.currency, nil
}

func (t *marketTables) holdAmounts() bool {
	for _, r := range t.requests {
		if r.MaxPrice > 0 {
			return true
		}
	}
	return len(t.books) > 0
}
