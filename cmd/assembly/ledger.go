package assembly

import (
	"context"
	"fmt"
	"io"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
)

// CheckLedger recomputes every balance, prints what disagrees and reports
// whether nothing does.
func CheckLedger(ctx context.Context, s config.Settings, out, logTo io.Writer) (balanced bool, err error) {
	err = use(ctx, s, config.Components{Market: true}, logTo, func(ledger *market.Ledger) error {
		differences, err := ledger.Check(ctx)
		if err != nil {
			return err
		}
		for _, d := range differences {
			_, _ = fmt.Fprintf(out, "order %s, book %s: %s\n", d.Order, d.Book, d.What)
		}
		if balanced = len(differences) == 0; balanced {
			_, err = fmt.Fprintln(out, "The ledger balances.")
		}
		return err
	})
	return balanced, err
}
