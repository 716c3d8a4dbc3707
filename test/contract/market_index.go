package contract

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// marketIndex compares searches and lists with a scan of all books.
func marketIndex(t *testing.T, open func(*testing.T) *MarketFixture) {
	b := open(t)
	books := stock(t, b)
	t.Run("found", func(t *testing.T) { indexed(t, b, books) })
	t.Run("found exactly", func(t *testing.T) { exactly(t, b, books) })
	t.Run("listed", func(t *testing.T) { listed(t, b, books) })
}

func exactly(t *testing.T, b *MarketFixture, books []book.Book) {
	rapid.Check(t, func(t *rapid.T) {
		like, c, n := rapid.SampledFrom(books).Draw(t, "this"), drawCriteria(t, books), rapid.IntRange(1, 10).Draw(t, "n")
		course, title := text.Key(like.Course), book.TitleKey(like.Name)
		found := must.Get(b.Ports.FindBooksByCourseOrTitle(t.Context(), course, title, c, n))(t)
		var ofCourse, ofTitle []book.Book
		for _, other := range books {
			if text.Key(other.Course) == course {
				ofCourse = append(ofCourse, other)
			}
			if book.TitleKey(other.Name) == title {
				ofTitle = append(ofTitle, other)
			}
		}
		want := append(expectedIDs(ofCourse, nil, c, n), expectedIDs(ofTitle, nil, c, n)...)
		if got := candidateIDs(found); !slices.Equal(got, want) {
			t.Fatalf("%q and %q within %+v are %v, should be %v", course, title, c, got, want)
		}
	})
}

func candidateIDs(found []book.Candidate) (ids []book.ID) {
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	return ids
}

func listed(t *testing.T, b *MarketFixture, books []book.Book) {
	orders := map[finding.Sort]func(x, y book.Book) int{
		finding.Newest:    func(x, y book.Book) int { return cmp.Compare(y.ID, x.ID) },
		finding.PriceAsc:  func(x, y book.Book) int { return cmp.Or(cmp.Compare(x.Price, y.Price), cmp.Compare(y.ID, x.ID)) },
		finding.PriceDesc: func(x, y book.Book) int { return cmp.Or(cmp.Compare(y.Price, x.Price), cmp.Compare(y.ID, x.ID)) },
	}
	rapid.Check(t, func(t *rapid.T) {
		c, n := drawCriteria(t, books), rapid.IntRange(1, 30).Draw(t, "n")
		sort := rapid.SampledFrom([]finding.Sort{finding.Newest, finding.PriceAsc, finding.PriceDesc}).Draw(t, "sort")
		all := slices.SortedFunc(slices.Values(books), orders[sort])
		var after market.Position
		if i := rapid.IntRange(-20, len(all)-1).Draw(t, "after"); i >= 0 {
			after.ID = int64(all[i].ID)
			if sort != finding.Newest {
				after.Key = int64(all[i].Price)
			}
			all = all[i+1:]
		}
		views := must.Get(b.Ports.ListBooksForSale(t.Context(), c, sort, after, n))(t)
		if got, want := bookIDs(views), expectedIDs(all, nil, c, n); !slices.Equal(got, want) {
			t.Fatalf("%q of %+v after %+v lists %v, should list %v", sort, c, after, got, want)
		}
	})
}

func indexed(t *testing.T, b *MarketFixture, books []book.Book) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.SampledFrom(soughtWords), 1, 4, rapid.ID[string]), 1, 5).Draw(t, "groups")
		c := drawCriteria(t, books)
		n := rapid.IntRange(1, 30).Draw(t, "n")
		found := must.Get(b.Ports.FindBooksByWords(t.Context(), groups, c, n))(t)
		if got, want := candidateIDs(found), expectedIDs(books, groups, c, n); !slices.Equal(got, want) {
			t.Fatalf("%q within %+v finds %v, should find %v", groups, c, got, want)
		}
	})
}

var (
	stockedWords = strings.Fields("introduction guide modern algebra physics 3d csc172 of the x")
	stockedCodes = []string{"CSC 172", "CSC172L", "MTH-161", "AH ABC", "A 1", "1A2B3C"}
	soughtWords  = append([]string{"csc", "172", "172l", "l", "161", "mth161", "ahabc", "ah", "abc", "a1", "1a2b3c", "3", "nobody"}, stockedWords...)
)

// stock posts books with a small vocabulary, and sells and changes some.
func stock(t *testing.T, b *MarketFixture) []book.Book {
	sellers := []user.Caller{b.JoinAt(t, "ann", "Rochester", user.Regular), b.JoinAt(t, "ben", "Cornell", user.Regular)}
	var books []book.Book
	names := rapid.SliceOfN(rapid.SampledFrom(stockedWords), 1, 4)
	for i := range 150 {
		d := Draft(strings.Join(names.Example(i), " "), stockedCodes[i%len(stockedCodes)], money.Amount(50<<(i%9)+i%2*i))
		d.Condition = book.Conditions()[i%3].String()
		v := b.Post(t, sellers[i%2], d)
		switch i % 10 {
		case 3:
			must.Get(b.Listings.Unlist(t.Context(), sellers[i%2], v.ID))(t)
			continue
		case 7:
			revised := must.Get(b.Listings.Update(t.Context(), sellers[i%2], v.ID, book.Patch{Name: new("Modern " + v.Name), Price: new(v.Price / 2)}))(t)
			v = revised
		}
		books = append(books, v.Book)
	}
	slices.Reverse(books)
	return books
}

func drawCriteria(t *rapid.T, books []book.Book) finding.Criteria {
	var c finding.Criteria
	like := rapid.SampledFrom(books).Draw(t, "like")
	for _, narrow := range []func(){
		func() { c.University = text.Key(like.University) },
		func() { c.Course = text.Key(like.Course) },
		func() { c.Condition = like.Condition },
		func() {
			c.MinPrice = new(like.Price * rapid.SampledFrom([]money.Amount{1, 4, 1 << 20}).Draw(t, "times"))
		},
		func() { c.MaxPrice = new(like.Price * rapid.SampledFrom([]money.Amount{0, 3}).Draw(t, "times")) },
		func() { c.MinPrice, c.MaxPrice = new(like.Price), new(like.Price) },
		func() { c.NotBy = like.Seller },
		func() { c.NotUniversity = text.Key(like.University) },
	} {
		if rapid.IntRange(0, 3).Draw(t, "narrow") == 0 {
			narrow()
		}
	}
	return c
}

// expectedIDs is the expected result: the newest books with a word of each group.
func expectedIDs(books []book.Book, groups [][]string, c finding.Criteria, n int) (ids []book.ID) {
	for _, b := range books {
		terms := b.Terms()
		missing := func(group []string) bool {
			return !slices.ContainsFunc(group, func(w string) bool { return slices.Contains(terms, w) })
		}
		if within(c, b) && !slices.ContainsFunc(groups, missing) && len(ids) < n {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

func within(c finding.Criteria, b book.Book) bool {
	return (c.University == "" || text.Key(b.University) == c.University) && (c.Course == "" || text.Key(b.Course) == c.Course) &&
		(c.Condition == 0 || b.Condition == c.Condition) && (c.NotBy == 0 || b.Seller != c.NotBy) &&
		(c.NotUniversity == "" || text.Key(b.University) != c.NotUniversity) &&
		(c.MinPrice == nil || b.Price >= *c.MinPrice) && (c.MaxPrice == nil || b.Price <= *c.MaxPrice)
}
