package marketstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// A database of an earlier release has entries with fewer terms, and words with fewer spellings.
func TestBooksOfAnEarlierReleaseAreFoundByAllTheirWordsAfterAWhile(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			ann := b.Join(t, "ann", user.Regular)
			id := b.Post(t, ann, contract.Draft("Wi-Fi Security", "CSC 101", money.Amount(20_00))).ID
			sold := b.Post(t, ann, contract.Draft("Wi-Fi at Home", "CSC 102", money.Amount(20_00))).ID
			must.Get(b.Listings.Unlist(t.Context(), ann, sold))(t)
			for _, statement := range []string{"DELETE FROM book_search", "DELETE FROM terms", "DELETE FROM spellings", "UPDATE search_versions SET version = 0"} {
				run(t, db, statement)
			}
			store := marketstore.New(db, plain{})
			search := func() []string {
				return must.Get(store.FindTermsBySpelling(t.Context(), book.Spellings("scurity"), 9))(t)
			}
			if found := search(); len(found) > 0 {
				t.Fatalf("there is nothing to rebuild: %v", found)
			}
			for range 2 { // the second finds nothing to do
				must.Do(t, store.MergeSearchIndex(t.Context()))
			}
			found := must.Get(store.FindBooksByWords(t.Context(), [][]string{{"wifi"}}, finding.Criteria{}, 9))(t)
			if len(found) != 1 || found[0].ID != id {
				t.Errorf("finds %v, want %d", found, id)
			}
			if terms := search(); len(terms) != 1 {
				t.Errorf("a misspelled word is %v", terms)
			}
		})
	}
}
