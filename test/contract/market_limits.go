package contract

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketLimits(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a person lists and relists so many books a day":         postLimit,
		"imported lines have a limit of their own":               importLimit,
		"a campus store lists any number and imports far more":   storeLimits,
		"a repeated call with its key counts once for the limit": repeatedPost,
		"posts at once by differing clocks keep to the limit":    postsAtOnce,
	})
}

// listLimited are the listings and imports of a market with limits.
func (b *MarketFixture) listLimited(l market.Limits) (*selling.Listings, *selling.Imports) {
	deps := b.Deps
	deps.Limits = l
	all := b.Over(deps)
	return all.Listings, all.Imports
}

// limitedForADay fails the test unless err is a limit that ends within a day.
func limitedForADay(t *testing.T, err error, want *fault.Error) {
	t.Helper()
	refused(t, err, want)
	if f := fault.As(err); f == nil || f.RetryAfter <= 23*time.Hour || f.RetryAfter > 24*time.Hour {
		t.Errorf("%v: try again after %v, want about a day", err, f.RetryAfter)
	}
}

func postLimit(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	listings, imports := b.listLimited(market.Limits{Posts: 3, ImportLines: 5})
	post := func(who user.Caller) (market.BookView, error) {
		return listings.Post(t.Context(), who, Draft("Calculus", "MTH 161", 1000))
	}
	first := must.Get(post(ann))(t)
	must.Get(post(ann))(t)
	must.Get(listings.Unlist(t.Context(), ann, first.ID))(t)
	must.Get(listings.Relist(t.Context(), ann, first.ID))(t)
	_, err := post(ann)
	limitedForADay(t, err, selling.ErrPostLimit)
	must.Get(listings.Unlist(t.Context(), ann, first.ID))(t)
	_, err = listings.Relist(t.Context(), ann, first.ID)
	limitedForADay(t, err, selling.ErrPostLimit)
	if mine, err := b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 10); err != nil || len(mine) != 2 || mine[1].Status != book.Unlisted {
		t.Errorf("a refusal changed something: %+v, %v", mine, err)
	}
	if got, err := imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(5), selling.ImportOptions{}); err != nil || len(got.Books) != 5 {
		t.Errorf("the lines of a file count as posts: %+v, %v", got, err)
	}
	must.Get(post(bob))(t)
	b.Clock.Advance(24 * time.Hour)
	must.Get(listings.Relist(t.Context(), ann, first.ID))(t)
}

func postsAtOnce(t *testing.T, b *MarketFixture) {
	const most = 10
	ann := b.Join(t, "ann", user.Regular)
	deps := b.by(limit.MaxClockSkew)
	deps.Limits = market.Limits{Posts: most}
	listings := b.Over(deps).Listings
	must.Together(2*most, func(i int) {
		_, err := listings.Post(t.Context(), ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000))
		if err != nil && !errors.Is(err, selling.ErrPostLimit) {
			t.Error(err)
		}
	})
	if mine, err := b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 3*most); err != nil || len(mine) != most {
		t.Errorf("%d books are listed, not %d: %v", len(mine), most, err)
	}
}

func importLimit(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	listings, imports := b.listLimited(market.Limits{Posts: 1, ImportLines: 60})
	must.Get(imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(58), selling.ImportOptions{}))(t)
	_, err := imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(3), selling.ImportOptions{})
	limitedForADay(t, err, selling.ErrImportLimit)
	draft := Draft("Calculus", "MTH 161", 1000)
	_, _, err = listings.PostAll(t.Context(), ann, market.IdempotencyKey{}, []book.Draft{draft, draft, draft})
	limitedForADay(t, err, selling.ErrImportLimit)
	must.Do(t, imports.Prepare(t.Context(), ann, csvOf(3), pasted.AnyOrder))
	s := must.Get(imports.Progress(t.Context(), ann))(t)
	limitedForADay(t, imports.Start(t.Context(), ann, s.ID, true), selling.ErrImportLimit)
	must.Get2(listings.PostAll(t.Context(), ann, market.IdempotencyKey{}, []book.Draft{draft, draft}))(t)
	must.Get(listings.Post(t.Context(), ann, draft))(t)
	b.Clock.Advance(24 * time.Hour)
	must.Do(t, imports.Start(t.Context(), ann, s.ID, true))
}

func storeLimits(t *testing.T, b *MarketFixture) {
	shop := b.Join(t, "shop", user.Regular)
	listings, imports := b.listLimited(market.Limits{Posts: 1, ImportLines: 5})
	b.setStore(t, shop, true)
	for i := range 3 {
		must.Get(listings.Post(t.Context(), shop, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000)))(t)
	}
	must.Get(imports.Import(t.Context(), shop, market.IdempotencyKey{}, csvOf(60), selling.ImportOptions{}))(t)
	refused(t, must.Err(imports.Import(t.Context(), shop, market.IdempotencyKey{}, csvOf(selling.MaxImportLines-59), selling.ImportOptions{})), selling.ErrImportLimit)
	b.setStore(t, shop, false)
	refused(t, must.Err(imports.Import(t.Context(), shop, market.IdempotencyKey{}, csvOf(1), selling.ImportOptions{})), selling.ErrImportLimit)
	_, err := listings.Post(t.Context(), shop, Draft("Calculus", "MTH 161", 1000))
	must.Do(t, err) // what a store lists does not count
	refused(t, must.Err(listings.Post(t.Context(), shop, Draft("Calculus", "MTH 161", 1000))), selling.ErrPostLimit)
}

// setStore says whether somebody is a campus store, as the auth service does.
func (b *MarketFixture) setStore(t *testing.T, who user.Caller, store bool) {
	t.Helper()
	must.Do(t, b.Accounts(b.Deps).Atomically(t.Context(), func(ctx context.Context, st auth.Stores) error {
		u, err := st.LockUser(ctx, who.ID)
		if err != nil {
			return err
		}
		u.Store = store
		return st.SaveUser(ctx, u)
	}))
}

func repeatedPost(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	listings, _ := b.listLimited(market.Limits{Posts: 2})
	k := market.IdempotencyKey{Value: "k"}
	for i := range 3 {
		_, replayed := must.Get2(listings.PostWithKey(t.Context(), ann, k, Draft("Calculus", "MTH 161", 1000)))(t)
		if replayed != (i > 0) {
			t.Errorf("call %d is replayed: %v", i, replayed)
		}
	}
	must.Get(listings.Post(t.Context(), ann, Draft("Calculus", "MTH 161", 1000)))(t)
}
