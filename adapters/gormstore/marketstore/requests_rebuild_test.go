package marketstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// An anonymised archive has requests without their index.
func TestABookIsMatchedWithARequestWhoseIndexWasMadeAnew(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
			b.Request(t, bob, book.RequestDraft{Name: "Differential Geometry of Surfaces", Course: "GEO 1"})
			run(t, db, "DELETE FROM request_keys")
			store := marketstore.New(db, plain{})
			for range 2 { // the second one replaces the index by the same
				must.Do(t, store.IndexAllRequests(t.Context()))
			}
			b.Post(t, ann, contract.Draft("The differential geometry of surfaces", "MTH 255", money.Amount(20_00)))
			var matches int64
			must.Do(t, db.Read.Raw("SELECT count(*) FROM matches").Scan(&matches).Error)
			if matches != 1 {
				t.Errorf("there are %d matches", matches)
			}
		})
	}
}

// An earlier release has indexed requests in traditional characters by these.
func TestARequestOfAnEarlierReleaseMatchesSimplifiedCharactersAfterAWhile(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
			b.Request(t, bob, book.RequestDraft{Name: "經濟學", Course: "ZH 1"})
			run(t, db, "UPDATE request_keys SET key = 'w:經濟學' WHERE key LIKE 'w:%'")
			run(t, db, "UPDATE search_versions SET version = 3")
			must.Do(t, marketstore.New(db, plain{}).MergeSearchIndex(t.Context()))
			b.Post(t, ann, contract.Draft("经济学", "ZH 2", money.Amount(20_00)))
			var matches int64
			must.Do(t, db.Read.Raw("SELECT count(*) FROM matches").Scan(&matches).Error)
			if matches != 1 {
				t.Errorf("there are %d matches", matches)
			}
		})
	}
}
