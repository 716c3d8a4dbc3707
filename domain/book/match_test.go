package book_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

func offered() book.Book {
	return book.Post(7, seller, "Rochester", book.Details{
		Name: "Introduction to Algorithms", Course: "CSC 172", Edition: 3, Price: 4500, ISBN: "9780262033848",
	}, now)
}

func TestTheStrongestReasonWins(t *testing.T) {
	for name, c := range map[string]struct {
		request book.RequestDetails
		want    book.Reason
	}{
		"all three":       {book.RequestDetails{Name: "Algorithms", Course: "csc172", ISBN: "9780262033848"}, book.ByISBN},
		"course":          {book.RequestDetails{Name: "Algorithms", Course: "csc-172", ISBN: "9780306406157"}, book.ByCourse},
		"title":           {book.RequestDetails{Name: "the ALGORITHMS", Course: "X"}, book.ByTitle},
		"part of a word":  {book.RequestDetails{Name: "Algorithm", Course: "X"}, ""},
		"nothing at all":  {book.RequestDetails{Name: "?", Course: "!"}, ""},
		"edition":         {book.RequestDetails{Name: "Algorithms", Course: "X", Edition: 3}, book.ByTitle},
		"other edition":   {book.RequestDetails{Name: "Algorithms", Course: "X", Edition: 2}, ""},
		"price met":       {book.RequestDetails{Name: "Algorithms", Course: "X", MaxPrice: 4500}, book.ByTitle},
		"price not met":   {book.RequestDetails{Name: "Algorithms", Course: "CSC 172", MaxPrice: 4499}, ""},
		"a word too many": {book.RequestDetails{Name: "Algorithms in C", Course: "X"}, ""},
	} {
		reason, ok := book.NewMatcher(offered()).Match(book.Request{ID: 1, Owner: buyer, RequestDetails: c.request})
		if reason != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, reason, ok, c.want)
		}
	}
}

func TestShortNamesDifferByTheirSymbols(t *testing.T) {
	for _, c := range []struct {
		wanted, offered string
		want            bool
	}{
		{"C++", "C# in Depth", false}, {"c#", "The C++ Programming Language", false}, {"C++", "The C++ Programming Language", true},
		{"C# in depth", "C# in Depth", true}, {"C++", "The C/C++ Book", true}, {"C++", "C# and C++", true}, {"C++ and C#", "C++ Primer", false},
		{"C++", "C Primer", true}, {"C", "C++ Primer", true}, {"F#", "C# and F#", true}, {"É+", "é#", false},
		{"C++17", "C++17", true}, {"Algebra #", "Algebra +", true}, {"+", "#", false}, {"# C", "C++", true},
	} {
		b := offered()
		b.Name = c.offered
		_, ok := book.NewMatcher(b).Match(book.Request{Owner: buyer, RequestDetails: book.RequestDetails{Name: c.wanted, Course: "X"}})
		if ok != c.want {
			t.Errorf("%q for a request for %q: %v, want %v", c.offered, c.wanted, ok, c.want)
		}
	}
}

func TestOnlyOpenRequestsOfOthersMatchBooksForSale(t *testing.T) {
	r := book.Request{ID: 1, Owner: buyer, RequestDetails: book.RequestDetails{Name: "Algorithms", Course: "CSC 172"}}
	match := func(b book.Book, r book.Request) bool { _, ok := book.NewMatcher(b).Match(r); return ok }
	own, filled, sold := r, r, offered()
	own.Owner = seller
	filled.Fill(9)
	must.Do(t, sold.Buy(3))
	if match(offered(), own) || match(offered(), filled) || match(sold, r) || !match(offered(), r) {
		t.Error("a sold book, a filled request or the seller's own one matches, or an open one does not")
	}
	if filled.Reopen(); filled != r {
		t.Errorf("reopened as %+v, want %+v", filled, r)
	}
}

// For all texts, a book that matches a request finds it by one of the book's keys, and a search
// key of the request finds the book.
func TestTheIndexFindsEveryMatch(t *testing.T) {
	part := rapid.SampledFrom([]string{"Linear", "algebra", "the", "OF", "C", "é", "Topology", "!", "in"})
	text := rapid.Custom(func(t *rapid.T) string {
		s := ""
		for range rapid.IntRange(1, 4).Draw(t, "words") {
			s += part.Draw(t, "word") + rapid.SampledFrom([]string{" ", "-", ", "}).Draw(t, "gap")
		}
		return s
	})
	isbn := rapid.SampledFrom([]book.ISBN{"", "9780262033848", "9780306406157"})
	rapid.Check(t, func(t *rapid.T) {
		b := offered()
		b.Name, b.Course, b.ISBN = text.Draw(t, "name"), text.Draw(t, "course"), isbn.Draw(t, "isbn")
		d := book.RequestDetails{Name: text.Draw(t, "wanted"), Course: text.Draw(t, "for"), ISBN: isbn.Draw(t, "of")}
		m := book.NewMatcher(b)
		reason, ok := m.Match(book.Request{Owner: buyer, RequestDetails: d})
		if !ok {
			return
		}
		word := ""
		if words := book.Significant(d.Name); len(words) > 0 {
			word = rapid.SampledFrom(words).Draw(t, "indexed under")
		}
		finds := func(e book.IndexEntry) bool {
			return slices.Contains(m.Keys(), e.Key) && m.BloomFilter().ContainsAll(e.Words)
		}
		if !slices.ContainsFunc(d.IndexEntries(word), finds) {
			t.Fatalf("%v contains none of %v", m.Keys(), d.IndexEntries(word))
		}
		if !slices.ContainsFunc(d.SearchKeys(), func(k book.SearchKey) bool { return k.Reason == reason }) {
			t.Fatalf("no search key for %s in %v", reason, d.SearchKeys())
		}
	})
}

func TestRequestsAreCheckedFieldByField(t *testing.T) {
	edition, price := 2, money.Amount(500)
	got, err := book.RequestDraft{Name: "Calculus", Course: "MTH 161", ISBN: "0306406152", Edition: &edition, MaxPrice: &price}.Check(money.Currency{})
	want := book.RequestDetails{Name: "Calculus", Course: "MTH 161", ISBN: "9780306406157", Edition: 2, MaxPrice: 500}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := (book.RequestDraft{ISBN: "1"}).Check(money.Currency{}); err == nil {
		t.Error("an empty request was accepted")
	}
}

// The filters are stored: with other hash functions, existing requests would not be found.
func TestBloomFiltersOfStoredRequestsDoNotChange(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  book.BloomFilter
	}{{nil, 0}, {[]string{"algebra"}, 0x8000000100000}, {[]string{"linear", "algebra"}, 0x8001100100000}, {[]string{"é"}, 0x400000000000001}} {
		if got := book.NewBloomFilter(c.words); got != c.want {
			t.Errorf("%v: %#x", c.words, int64(got))
		}
	}
}

func TestABloomFilterContainsAllItsSubsets(t *testing.T) {
	words := rapid.SliceOf(rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		some, more := words.Draw(t, "some"), words.Draw(t, "more")
		if all := book.NewBloomFilter(append(more, some...)); !all.ContainsAll(book.NewBloomFilter(some)) || all < 0 {
			t.Errorf("%#x", int64(all))
		}
	})
}

func TestABloomFilterHasFewFalsePositives(t *testing.T) {
	taken := 0
	offered := book.NewBloomFilter([]string{"introduction", "linear", "algebra", "applications", "strang"})
	for i := range 1000 {
		if offered.ContainsAll(book.NewBloomFilter([]string{"strang", "essays" + strconv.Itoa(i)})) {
			taken++
		}
	}
	if taken > 100 {
		t.Errorf("%d of 1000 names that lack a word match", taken)
	}
}
