package contract

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketLists(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"pages neither repeat nor skip books while others are added": stablePages,
		"the caller's own books are left out":                        ownLeftOut,
		"filters narrow a list":                                      filters,
		"a list is sorted by price on demand":                        byPrice,
		"a list by price ends at the lowest price":                   toTheLowestPrice,
		"offset pages have the same order as cursor pages":           skipped,
		"bad pages are refused":                                      badPages,
		"the caller's own books are listed in every status":          minePaged,
	})
}

// walk reads a list page by page.
func walk[T any](t testing.TB, limit int, read func(market.Page) ([]T, market.Cursor, error)) (pages [][]T) {
	t.Helper()
	p := market.Page{Limit: limit}
	for range 1000 {
		rows, next := must.Get2(read(p))(t)
		pages = append(pages, rows)
		if next == "" {
			return pages
		}
		p.Cursor = next
	}
	t.Fatal("the pages never end")
	return nil
}

func bookIDs(views []market.BookView) []book.ID {
	out := make([]book.ID, len(views))
	for i, v := range views {
		out[i] = v.ID
	}
	return out
}

func stablePages(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var want []book.ID
	for i := range 7 {
		want = append(want, b.Post(t, ann, Draft(fmt.Sprint("Book ", i), "X 1", 1000)).ID)
	}
	slices.Reverse(want)
	var got []book.ID
	for _, page := range walk(t, 3, func(p market.Page) ([]market.BookView, market.Cursor, error) {
		defer b.Post(t, ann, Draft("New", "X 1", 1000))
		return b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{}, p)
	}) {
		got = append(got, bookIDs(page)...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

func ownLeftOut(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	theirs := b.Post(t, bob, Draft("Calculus", "MTH 161", 1000))
	listed, _ := must.Get2(b.Catalogue.List(t.Context(), ann, finding.Filter{}, market.Page{}))(t)
	for _, text := range []string{"calculus", "calc", "mth161"} {
		found, _ := must.Get2(b.Catalogue.Search(t.Context(), ann, text, finding.Filter{}, market.Page{}))(t)
		if !slices.Equal(bookIDs(found), []book.ID{theirs.ID}) {
			t.Errorf("%s finds %v", text, bookIDs(found))
		}
	}
	if !slices.Equal(bookIDs(listed), []book.ID{theirs.ID}) {
		t.Errorf("lists %v", bookIDs(listed))
	}
}

func filters(t *testing.T, b *MarketFixture) {
	ann, bob := b.JoinAt(t, "ann", "Université de Montréal", user.Regular), b.JoinAt(t, "bob", "MIT", user.Regular)
	fair := Draft("Calculus Now", "MTH 161", 999)
	fair.Condition = "fair"
	one, two := b.Post(t, ann, fair), b.Post(t, bob, Draft("Calculus Then", "MTH-162", 1000))
	cents := func(c money.Amount) *money.Amount { return &c }
	for _, c := range []struct {
		filter finding.Filter
		want   []book.ID
	}{
		{finding.Filter{}, []book.ID{two.ID, one.ID}},
		{finding.Filter{University: "universite de  montreal"}, []book.ID{one.ID}},
		{finding.Filter{University: "Montréal"}, []book.ID{}},
		{finding.Filter{Course: "mth162"}, []book.ID{two.ID}},
		{finding.Filter{Condition: "FAIR"}, []book.ID{one.ID}},
		{finding.Filter{MinPrice: cents(1000)}, []book.ID{two.ID}},
		{finding.Filter{MaxPrice: cents(999)}, []book.ID{one.ID}},
		{finding.Filter{MinPrice: cents(999), MaxPrice: cents(1000), Condition: "good", University: "MIT", Course: "MTH 162"}, []book.ID{two.ID}},
	} {
		listed, _ := must.Get2(b.Catalogue.List(t.Context(), user.Caller{}, c.filter, market.Page{}))(t)
		found, _ := must.Get2(b.Catalogue.Search(t.Context(), user.Caller{}, "calculus", c.filter, market.Page{}))(t)
		if !slices.Equal(bookIDs(listed), c.want) || !slices.Equal(bookIDs(found), c.want) {
			t.Errorf("%+v lists %v and finds %v, want %v", c.filter, bookIDs(listed), bookIDs(found), c.want)
		}
		pages := slices.Concat(walk(t, 1, func(p market.Page) ([]market.BookView, market.Cursor, error) {
			return b.Catalogue.List(t.Context(), user.Caller{}, c.filter, p)
		})...)
		if !slices.Equal(bookIDs(pages), c.want) {
			t.Errorf("%+v lists %v page by page, want %v", c.filter, bookIDs(pages), c.want)
		}
	}
	for _, bad := range []finding.Filter{
		{University: "!"}, {Course: "-"}, {Condition: "Eaten"}, {Sort: "name"}, {MaxPrice: cents(0)}, {MinPrice: cents(2), MaxPrice: cents(1)},
	} {
		refused(t, must.Err(b.Catalogue.List(t.Context(), user.Caller{}, bad, market.Page{})), finding.ErrFilter)
		refused(t, must.Err(b.Catalogue.Search(t.Context(), user.Caller{}, "calculus", bad, market.Page{})), finding.ErrFilter)
	}
}

func byPrice(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var posted []market.BookView
	for _, price := range []money.Amount{500, 300, 500, 100, 300, 300} {
		posted = append(posted, b.Post(t, ann, Draft("Calculus", "MTH 161", price)))
	}
	for sort, want := range map[finding.Sort][]int{
		finding.PriceAsc: {3, 5, 4, 1, 2, 0}, finding.PriceDesc: {2, 0, 5, 4, 1, 3}, finding.Newest: {5, 4, 3, 2, 1, 0},
	} {
		for name, read := range map[string]func(market.Page) ([]market.BookView, market.Cursor, error){
			"list": func(p market.Page) ([]market.BookView, market.Cursor, error) {
				return b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{Sort: sort}, p)
			},
			"search": func(p market.Page) ([]market.BookView, market.Cursor, error) {
				return b.Catalogue.Search(t.Context(), user.Caller{}, "calculus", finding.Filter{Sort: sort}, p)
			},
		} {
			var got []book.ID
			for _, page := range walk(t, 2, read) {
				got = append(got, bookIDs(page)...)
			}
			for i, p := range want {
				if len(got) != len(want) || got[i] != posted[p].ID {
					t.Errorf("%s by %q: %v", name, sort, got)
					break
				}
			}
		}
	}
}

// toTheLowestPrice reads lists to the lowest and to the highest possible price. A store must stop
// there and must not start again without a bound.
func toTheLowestPrice(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var posted []market.BookView
	for i := range 235 {
		posted = append(posted, b.Post(t, ann, Draft("Calculus", "MTH 161", money.Amount(1+2*i))))
	}
	for range 2 {
		posted = append(posted, b.Post(t, ann, Draft("Calculus", "MTH 161", book.MaxPrice)))
	}
	for _, bound := range []money.Amount{1, 2, 5_00, book.MaxPrice} {
		for sort, within := range map[finding.Sort]func(money.Amount) bool{
			finding.PriceDesc: func(c money.Amount) bool { return c <= bound },
			finding.PriceAsc:  func(c money.Amount) bool { return c >= bound },
		} {
			f := finding.Filter{Sort: sort, MaxPrice: &bound}
			if sort == finding.PriceAsc {
				f = finding.Filter{Sort: sort, MinPrice: &bound}
			}
			var want []book.ID
			for _, v := range posted {
				if within(v.Price) {
					want = append(want, v.ID)
				}
			}
			got := slices.Concat(walk(t, 40, func(p market.Page) ([]market.BookView, market.Cursor, error) {
				return b.Catalogue.List(t.Context(), user.Caller{}, f, p)
			})...)
			if ids := slices.Sorted(slices.Values(bookIDs(got))); !slices.Equal(ids, want) {
				t.Errorf("%q bounded by %d lists %d books, want %d", sort, bound, len(ids), len(want))
			}
		}
	}
}

func skipped(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for i := range 5 {
		b.Post(t, ann, Draft(fmt.Sprint("Book ", i), "X 1", 1000))
	}
	all, _ := must.Get2(b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{}, market.Page{}))(t)
	for _, skip := range []int{0, 2, 4, 5, 1_000_000_000, math.MaxInt} {
		got := must.Get(b.Catalogue.ListByOffset(t.Context(), user.Caller{}, 2, skip))(t)
		low := min(skip, 5)
		if want := bookIDs(all[low:min(low+2, 5)]); !slices.Equal(bookIDs(got), want) {
			t.Errorf("after %d: %v, want %v", skip, bookIDs(got), want)
		}
	}
	for _, bad := range [][2]int{{0, 0}, {201, 0}, {1, -1}} {
		if _, err := b.Catalogue.ListByOffset(t.Context(), user.Caller{}, bad[0], bad[1]); err == nil {
			t.Errorf("limit %d, offset %d was accepted", bad[0], bad[1])
		}
	}
}

func badPages(t *testing.T, b *MarketFixture) {
	for _, limit := range []int{-1, 201} {
		refused(t, must.Err(b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{}, market.Page{Limit: limit})), market.ErrLimit)
	}
	for _, cursor := range []market.Cursor{"x", "AA", "!!!", "AAAA", "////", "AAI=", "AAIC"} {
		refused(t, must.Err(b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{}, market.Page{Cursor: cursor})), market.ErrCursor)
	}
}

func minePaged(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	b.Post(t, bob, Draft("Biology", "BIO 110", 1000))
	b.Buy(t, bob, one.ID)
	must.Get(b.Listings.Unlist(t.Context(), ann, two.ID))(t)
	pages := walk(t, 1, func(p market.Page) ([]market.BookView, market.Cursor, error) {
		return b.Listings.ListMine(t.Context(), ann, p)
	})
	if len(pages) != 2 || pages[0][0].ID != two.ID || pages[1][0].ID != one.ID {
		t.Fatalf("read %+v", pages)
	}
	if o := pages[1][0].Order; o == nil || o.Buyer != bob.ID || o.BuyerParty.PaymentUsername != "" {
		t.Errorf("the seller sees %+v", o)
	}
	if pages[0][0].Order != nil {
		t.Error("a book that is not sold has an order")
	}
}
