package market

import (
	"context"
	"sync/atomic"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrOtherCurrency refuses to write an amount into a database whose amounts are in another
// currency than this process has.
var ErrOtherCurrency = fault.New(fault.Unavailable, "currency_mismatch", "The market has changed its currency. Please try again later.")

// CurrencyGuard keeps all amounts of a database in one currency. Processes with different
// currencies can all start on a database without amounts; the first that writes one decides,
// and the others write none.
type CurrencyGuard struct{ kept atomic.Bool } // the database has an amount of this process

// KeepCurrency must be called before the first amount of a transaction is written. Only the
// first of a process asks the store.
func (t *Tx) KeepCurrency(ctx context.Context) error {
	if t.guard.kept.Load() {
		return nil
	}
	kept, err := t.Stores.KeepCurrency(ctx, t.Currency)
	if err == nil && kept != t.Currency.Code() {
		err = ErrOtherCurrency
	}
	t.amounts = err == nil
	return err
}
