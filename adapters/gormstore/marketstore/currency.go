package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/domain/money"
	"gorm.io/gorm"
)

// KeepCurrency is market.CurrencyKeeper. The row of the currency is locked meanwhile, so that
// of several processes that start at once all see the choice of the first.
func (s *Store) KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error) {
	err = s.db.Atomically(ctx, func(tx *gorm.DB) error {
		if err := tx.Exec("INSERT INTO market_currency (id, code) VALUES (1, ?) ON CONFLICT DO NOTHING", c.Code()).Error; err != nil {
			return err
		}
		if err := tx.Raw("UPDATE market_currency SET code = code WHERE id = 1 RETURNING code").Scan(&kept).Error; err != nil || kept == c.Code() {
			return err
		}
		var amounts bool
		if err := tx.Raw("SELECT EXISTS (SELECT 1 FROM books) OR EXISTS (SELECT 1 FROM requests WHERE max_price > 0)").Scan(&amounts).Error; err != nil || amounts {
			return err
		}
		kept = c.Code()
		return tx.Exec("UPDATE market_currency SET code = ?", kept).Error
	})
	return kept, err
}
