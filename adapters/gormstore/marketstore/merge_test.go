package marketstore_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// A search reads each segment of the full-text index. Every post adds one, and a book that
// is no longer for sale leaves a deleted entry.
func TestSearchesStayFastAfterManyPostsOnSQLite(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewMarketFixture(backend(db))
	ann := b.Join(t, "ann", user.Regular)
	const posts, sold = 40, 10
	for i := range posts {
		id := b.Post(t, ann, contract.Draft(fmt.Sprint("Topology ", i), "MTH 440", money.Amount(20_00))).ID
		if i < sold {
			must.Get(b.Listings.Unlist(t.Context(), ann, id))(t)
		}
	}
	store := b.Ports.(*marketstore.Store)
	if n := segments(t, db); n < 2 {
		t.Fatalf("%d segments: there is nothing to merge", n)
	}
	must.Do(t, store.MergeSearchIndex(t.Context()))
	if n := segments(t, db); n != 1 {
		t.Errorf("%d segments, want 1", n)
	}
	found := must.Get(store.FindBooksByWords(t.Context(), [][]string{{"topology"}}, finding.Criteria{}, 2*posts))(t)
	if len(found) != posts-sold {
		t.Errorf("found %d books, want %d", len(found), posts-sold)
	}
}

func segments(t *testing.T, db *gormstore.DB) (n int) {
	t.Helper()
	must.Do(t, db.Read.WithContext(t.Context()).Raw("SELECT count(DISTINCT segid) FROM book_search_idx").Scan(&n).Error)
	return n
}
