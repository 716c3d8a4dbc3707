package book_test

import (
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"pgregory.net/rapid"
)

func offered() book.Book {
	return book.Post(7, seller, "Rochester", book.Details{
		Name: "Introduction to Algorithms", Course: "CSC 172", Edition: 3, Price: 4500, ISBN: "9780262033848",
	}, now)
}

func TestTheStrongestReasonWins(t *testing.T) {
	for name, c := range map[string]struct {
		wish book.Wish
		want book.Reason
	}{
		"all three":       {book.Wish{Name: "Algorithms", Course: "csc172", ISBN: "9780262033848"}, book.ByISBN},
		"course":          {book.Wish{Name: "Algorithms", Course: "csc-172", ISBN: "9780306406157"}, book.ByCourse},
		"title":           {book.Wish{Name: "the ALGORITHMS", Course: "X"}, book.ByTitle},
		"part of a word":  {book.Wish{Name: "Algorithm", Course: "X"}, ""},
		"nothing at all":  {book.Wish{Name: "?", Course: "!"}, ""},
		"edition":         {book.Wish{Name: "Algorithms", Course: "X", Edition: 3}, book.ByTitle},
		"other edition":   {book.Wish{Name: "Algorithms", Course: "X", Edition: 2}, ""},
		"price met":       {book.Wish{Name: "Algorithms", Course: "X", MaxPrice: 4500}, book.ByTitle},
		"price not met":   {book.Wish{Name: "Algorithms", Course: "CSC 172", MaxPrice: 4499}, ""},
		"a word too many": {book.Wish{Name: "Algorithms in C", Course: "X"}, ""},
	} {
		reason, ok := book.NewMatcher(offered()).Match(book.Request{ID: 1, Owner: buyer, Wish: c.wish})
		if reason != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, reason, ok, c.want)
		}
	}
}

func TestShortNamesAreToldApartByTheirSigns(t *testing.T) {
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
		_, ok := book.NewMatcher(b).Match(book.Request{Owner: buyer, Wish: book.Wish{Name: c.wanted, Course: "X"}})
		if ok != c.want {
			t.Errorf("%q for who wants %q: %v", c.offered, c.wanted, ok)
		}
	}
}

func TestOnlyOpenRequestsOfOthersMatchBooksForSale(t *testing.T) {
	r := book.Request{ID: 1, Owner: buyer, Wish: book.Wish{Name: "Algorithms", Course: "CSC 172"}}
	match := func(b book.Book, r book.Request) bool { _, ok := book.NewMatcher(b).Match(r); return ok }
	own, filled, sold := r, r, offered()
	own.Owner = seller
	filled.Fill(9)
	if err := sold.Buy(3); err != nil {
		t.Fatal(err)
	}
	if match(offered(), own) || match(offered(), filled) || match(sold, r) || !match(offered(), r) {
		t.Error("the wrong ones match")
	}
	if filled.Reopen(); filled != r {
		t.Errorf("reopened as %+v", filled)
	}
}

// Whatever is written, a book that matches finds the request under one of its
// keys, and a clue of the request leads to the book.
func TestNoMatchEscapesTheIndex(t *testing.T) {
	word := rapid.SampledFrom([]string{"Linear", "algebra", "the", "OF", "C", "é", "Topology", "!", "in"})
	text := rapid.Custom(func(t *rapid.T) string {
		s := ""
		for range rapid.IntRange(1, 4).Draw(t, "words") {
			s += word.Draw(t, "word") + rapid.SampledFrom([]string{" ", "-", ", "}).Draw(t, "gap")
		}
		return s
	})
	isbn := rapid.SampledFrom([]book.ISBN{"", "9780262033848", "9780306406157"})
	rapid.Check(t, func(t *rapid.T) {
		b := offered()
		b.Name, b.Course, b.ISBN = text.Draw(t, "name"), text.Draw(t, "course"), isbn.Draw(t, "isbn")
		w := book.Wish{Name: text.Draw(t, "wanted"), Course: text.Draw(t, "for"), ISBN: isbn.Draw(t, "of")}
		m := book.NewMatcher(b)
		reason, ok := m.Match(book.Request{Owner: buyer, Wish: w})
		if !ok {
			return
		}
		filed := ""
		if words := book.Significant(w.Name); len(words) > 0 {
			filed = rapid.SampledFrom(words).Draw(t, "filed under")
		}
		finds := func(f book.Filing) bool { return slices.Contains(m.Keys(), f.Key) && m.Signature().Has(f.Words) }
		if !slices.ContainsFunc(w.Filings(filed), finds) {
			t.Fatalf("%v holds nothing of %v", m.Keys(), w.Filings(filed))
		}
		if !slices.ContainsFunc(w.Clues(), func(c book.Clue) bool { return c.Reason == reason }) {
			t.Fatalf("no clue by %s in %v", reason, w.Clues())
		}
	})
}

func TestWishesAreCheckedFieldByField(t *testing.T) {
	edition, price := 2, money.Cents(500)
	got, err := book.Want{Name: "Calculus", Course: "MTH 161", ISBN: "0306406152", Edition: &edition, MaxPrice: &price}.Check()
	want := book.Wish{Name: "Calculus", Course: "MTH 161", ISBN: "9780306406157", Edition: 2, MaxPrice: 500}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := (book.Want{ISBN: "1"}).Check(); err == nil {
		t.Error("an empty wish was taken")
	}
}
