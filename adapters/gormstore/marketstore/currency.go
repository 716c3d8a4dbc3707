package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/domain/money"
)

// currency implements market.CurrencyStore. It locks the row of the currency.
type currency struct{ conn }

func (s currency) KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error) {
	if _, err := s.Exec(ctx, "INSERT INTO market_currency (id, code) VALUES (1, ?) ON CONFLICT DO NOTHING", c.Code()); err != nil {
		return "", err
	}
	if err := s.session.Raw("UPDATE market_currency SET code = code RETURNING code").Scan(&kept).Error; err != nil || kept == c.Code() {
		return kept, err
	}
	var amounts bool
	if err := s.session.Raw("SELECT EXISTS (SELECT 1 FROM books) OR EXISTS (SELECT 1 FROM requests WHERE max_price > 0)").Scan(&amounts).Error; err != nil || amounts {
		return kept, err
	}
	_, err = s.Exec(ctx, "UPDATE market_currency SET code = ?", c.Code())
	return c.Code(), err
}
