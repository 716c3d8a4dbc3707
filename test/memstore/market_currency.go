package memstore

import (
	"context"

	"github.com/octavo-books/octavo/domain/money"
)

// KeepCurrency is market.CurrencyKeeper.
func (m *Market) KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error) {
	err = m.s.read(ctx, func() error {
		t := &m.s.tables.market
		if t.currency == "" || !t.holdAmounts() {
			t.currency = c.Code()
		}
		kept = t.currency
		return nil
	})
	return kept, err
}

func (t *marketTables) holdAmounts() bool {
	for _, r := range t.requests {
		if r.MaxPrice > 0 {
			return true
		}
	}
	return len(t.books) > 0
}
