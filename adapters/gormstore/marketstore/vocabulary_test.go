package marketstore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestATermOfARolledBackTransactionIsStoredWithTheNextBook(t *testing.T) {
	rolledBack(t, func(t *testing.T, store *marketstore.Store, books int) {
		known := must.Get(store.FindTerms(t.Context(), []string{"topology"}))(t)
		if slices.Contains(known, "topology") != (books > 0) {
			t.Errorf("with %d books the terms are %v", books, known)
		}
	})
}

// rolledBack adds three books with the same words, rolls the first one back, and calls inspect
// after each.
func rolledBack(t *testing.T, inspect func(t *testing.T, store *marketstore.Store, books int)) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			ann := b.Join(t, "ann", user.Regular)
			store, boom := marketstore.New(db, plain{}), errors.New("boom")
			for books, outcome := range []error{boom, nil, nil} {
				err := store.Atomically(t.Context(), func(ctx context.Context, s market.Stores) error {
					d, err := contract.Draft("Topology", "MTH 440", 1234).Check(money.Currency{}, time.Now())
					must.Do(t, err)
					return errors.Join(store.SellingStore(s).AddBook(ctx, book.Post(book.ID(b.IDs.Next()), ann.ID, "Rochester", d, b.Clock.Now())), outcome)
				})
				if !errors.Is(err, outcome) {
					t.Fatal(err)
				}
				inspect(t, store, books)
			}
		})
	}
}

// The letters of some names fold to six or eighteen times as many.
func TestANameOfLigaturesTakesLittleSpaceInTheVocabulary(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewMarketFixture(backend(db))
	ann := b.Join(t, "Ann", user.Regular)
	_, read := db.SQL()
	for _, letter := range []string{"㌖", "ﷺ", "a", "\U00020000"} {
		b.Post(t, ann, contract.Draft(strings.Repeat(letter, book.MaxName), "CSC 172", 500))
	}
	var bytes int
	must.Do(t, read.QueryRow("SELECT (SELECT sum(length(CAST(spelling AS BLOB)) + length(CAST(term AS BLOB))) FROM spellings) + (SELECT sum(length(CAST(term AS BLOB))) FROM terms)").Scan(&bytes))
	if bytes > 8<<10 {
		t.Errorf("four names take %d bytes", bytes)
	}
}
