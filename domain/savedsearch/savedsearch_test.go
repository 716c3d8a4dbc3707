package savedsearch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var part = rapid.SampledFrom([]string{"Calculus", "calc", "the", "of", "C", "ca", "Énergie", "L'energie", "csc172", "CSC", "172", "books", "textbook", "3rd", "edition", "!", "C++"})

func text(low int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for range rapid.IntRange(low, 4).Draw(t, "words") {
			s += part.Draw(t, "word") + rapid.SampledFrom([]string{" ", "-", ", ", ""}).Draw(t, "gap")
		}
		return s
	})
}

func anyBook(t *rapid.T) book.Book {
	return book.Book{ID: 7, Seller: 3, University: rapid.SampledFrom([]string{"Cornell", "YALE"}).Draw(t, "university"), Details: book.Details{
		Name: text(1).Draw(t, "name"), Course: text(1).Draw(t, "course"), Edition: 1, Price: money.Amount(rapid.IntRange(1, 5).Draw(t, "price")),
		Condition: book.Condition(rapid.IntRange(1, 5).Draw(t, "condition")), ISBN: rapid.SampledFrom([]book.ISBN{"", "9780262033848"}).Draw(t, "isbn"),
	}}
}

func anySearch(t *rapid.T) savedsearch.Details {
	draft := savedsearch.Draft{
		Query:      rapid.OneOf(text(0), rapid.SampledFrom([]string{"0-262-03384-4", "ISBN 9780262033848"})).Draw(t, "query"),
		University: rapid.SampledFrom([]string{"", "", "Yale", "cornell"}).Draw(t, "at"), Course: rapid.SampledFrom([]string{"", "", "Csc 172"}).Draw(t, "for"),
		Condition: rapid.SampledFrom([]string{"", "", "good", "Like New"}).Draw(t, "in"),
	}
	if most := money.Amount(rapid.IntRange(0, 4).Draw(t, "most")); most > 0 {
		draft.MaxPrice = &most
	}
	d, err := draft.Check(money.Currency{})
	if err != nil {
		t.Skip("not a search")
	}
	return d
}

// For all texts, a search that fits a book is found by one of the book's keys, whichever of its
// words it is indexed under.
func TestNoNewBookEscapesASavedSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, b := anySearch(t), anyBook(t)
		var words []string
		for _, set := range d.Words() {
			words = append(words, rapid.SampledFrom(set).Draw(t, "indexed under"))
		}
		keys := d.Keys(words)
		if len(keys) == 0 || len(keys) > 4 {
			t.Fatalf("%+v has the keys %q", d, keys)
		}
		if d.Fits(b) && !slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(savedsearch.BookKeys(b), k) }) {
			t.Fatalf("%+v fits %+v, but %q has none of %q", d, b, savedsearch.BookKeys(b), keys)
		}
	})
}

// The ranking of the search lists a book if and only if the query finds it, but for misspellings
// for single letters, which the search does not complete, and for neighbours that are one word, which a
// saved search takes as they are.
func TestTraditionalCharactersFindSimplifiedOnesAndTheOtherWayRound(t *testing.T) {
	for query, name := range map[string]string{"經濟學": "经济学原理", "经济学": "經濟學原理", "微積分": "微積分"} {
		d := must.Get(savedsearch.Draft{Query: query}.Check(money.Currency{}))(t)
		b := book.Book{Details: book.Details{Name: name, Course: "X 1", Price: 1, Condition: book.Good}}
		keys := d.Keys([]string{d.Words()[0][0]})
		if !d.Fits(b) || !slices.ContainsFunc(savedsearch.BookKeys(b), func(k string) bool { return slices.Contains(keys, k) && k[0] == 'w' }) {
			t.Errorf("%s does not find %s by %q", query, name, keys)
		}
	}
}

func TestASavedSearchFindsWhatTheSearchRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := anyBook(t)
		typed := text(1).Draw(t, "query")
		q, err := book.ParseQuery(typed)
		if err != nil || q.Empty() {
			t.Skip("not a query")
		}
		ranked := func(q book.Query) bool {
			hits := book.Rank(q, "", []book.Candidate{{ID: b.ID, Course: b.Course, Name: b.Name}})
			return len(hits) == 1 && hits[0].Relevance() >= 2000 // misspellings are the tier below
		}
		want := ranked(q)
		if shorter, ok := q.WithoutFillers(); ok && !want {
			want = ranked(shorter)
		}
		letter := slices.ContainsFunc(q.Words, func(w string) bool { return len(w) == 1 })
		if got := q.Finds(b); got && !want || want && !got && !letter && !joins(typed, b) {
			t.Fatalf("%+v finds %+v: %v", q, b, got)
		}
	})
}

// joins reports whether the book has neighbours of the query as one word, or the other way round.
func joins(query string, b book.Book) bool {
	q, name, terms := lexicon.Split(query).Spoken(), lexicon.Split(b.Name).Words, b.Terms()
	for i := range max(0, len(name)-1) {
		if slices.Contains(q.Words, name[i]+name[i+1]) {
			return true
		}
	}
	return slices.ContainsFunc(q.Joins, func(j lexicon.Join) bool { return slices.Contains(terms, j.Text) })
}

func TestASearchFindsWordsTheirBeginningsCoursesAndISBNs(t *testing.T) {
	b := book.Book{University: "Cornell", Details: book.Details{Name: "L'Énergie: Calculus in C", Course: "CSC 172", Price: 500, Condition: book.Good, ISBN: "9780262033848"}}
	for query, want := range map[string]bool{
		"energie": true, "ÉNERGIE calc": true, "c calculus": true, "csc-172": true, "csc172 textbook": true, "0-262-03384-4": true, "l'énergie": true,
		"c++": false, "calculus books 2nd": true, "l'énergie: calculus in c++": false, "calculos": false, "calculus algebra": false, "csc 173": false, "9780306406157": false, "n": false, "e": false, "calculus e": false,
	} {
		if got := (savedsearch.Details{Query: query}).Fits(b); got != want {
			t.Errorf("%q fits: %v", query, got)
		}
	}
	for i, d := range []savedsearch.Details{{University: "cornell"}, {Course: "csc172"}, {Condition: book.Good}, {MinPrice: 500, MaxPrice: 500}, {Query: "calc", University: "CORNELL", MaxPrice: 500}} {
		if !d.Fits(b) {
			t.Errorf("search %d does not fit", i)
		}
	}
	for i, d := range []savedsearch.Details{{University: "Yale"}, {Course: "csc17"}, {Condition: book.New}, {MinPrice: 501}, {MaxPrice: 499}, {Query: "calc", University: "Yale"}} {
		if d.Fits(b) {
			t.Errorf("search %d fits", i)
		}
	}
}

func TestASearchForEverythingOrNothingIsRefused(t *testing.T) {
	low, high := money.Amount(0), money.Amount(-1)
	for field, d := range map[string]savedsearch.Draft{
		"query": {}, "university": {University: "?"}, "course": {Course: strings.Repeat("c", 41)}, "condition": {Condition: "old"},
		"maxPrice": {MaxPrice: &low}, "minPrice": {MinPrice: &high},
	} {
		_, err := d.Check(money.Currency{})
		if f := fault.As(err); f == nil || f.Fields[field] == "" || !errors.Is(err, savedsearch.ErrInvalid) {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, query := range []string{"!!", "a\x00b", "a\r\nBcc: eve", strings.Repeat("x", 301)} {
		if _, err := (savedsearch.Draft{Query: query}).Check(money.Currency{}); err == nil {
			t.Errorf("%q was accepted", query)
		}
	}
}

func TestOneMailADayHasAllThatWasFound(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := savedsearch.Search{Mail: true}
	if !s.Find(now) || s.Find(now.Add(time.Hour)) || s.Find(now.Add(2*time.Hour)) {
		t.Error("the first book was not mailed, or another one on the same day")
	}
	if s.TakeMail(now.Add(23*time.Hour)) || s.Unmailed != 2 || !s.TakeMail(now.Add(24*time.Hour)) || s.TakeMail(now.Add(72*time.Hour)) {
		t.Errorf("the day after: %+v", s)
	}
	s.SetMail(false)
	if s.Find(now.Add(96*time.Hour)) || s.Unmailed != 0 {
		t.Errorf("without mails: %+v", s)
	}
}

func TestARequestLooksForWhatTheSearchFinds(t *testing.T) {
	for _, d := range []savedsearch.Details{{Query: "Calculus"}, {Query: "csc 172"}, {Course: "CSC 172", MaxPrice: 500}, {Query: "0262033844"}, {Query: strings.Repeat("calculus ", 30)}} {
		draft := must.Get(d.Request())(t)
		details, err := draft.Check(money.Currency{})
		if err != nil {
			t.Fatalf("%+v: %v", draft, err)
		}
		b := book.Book{ID: 1, Seller: 2, Details: book.Details{Name: "Calculus", Course: "CSC 172", Price: 500, ISBN: "9780262033848"}}
		if _, ok := book.NewMatcher(b).Match(book.Request{Owner: 3, RequestDetails: details}); !ok {
			t.Errorf("%+v does not match", details)
		}
	}
	must.Refuse(t, must.Err((savedsearch.Details{University: "Yale"}).Request()), savedsearch.ErrNoRequest, "a campus was requested")
}
