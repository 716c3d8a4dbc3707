package contract

import (
	"context"
	"errors"
	"testing"

	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketSuggestions(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an ISBN suggests what most of its posts say": suggestsMajority,
		"sold and unlisted posts count, too":          suggestsFromEveryStatus,
		"only the newest posts count":                 suggestionsAreBounded,
		"the table answers for books without a post":  suggestsFromTable,
		"only students get suggestions":               suggestsToStudents,
	})
}

func (b *MarketFixture) expectSuggestion(t *testing.T, by user.Caller, isbn string, want book.Suggestion) {
	t.Helper()
	got, ok := must.Get2(b.ISBNLookup.Find(t.Context(), by, isbn))(t)
	if got != want || ok != (want != book.Suggestion{}) {
		t.Errorf("%s: %+v, %v, want %+v", isbn, got, ok, want)
	}
}

func suggestsMajority(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for _, d := range []book.Draft{Draft("Calculus", "MATH 161", 1), Draft("Calculus", "MATH 161", 1), Draft("Claculus", "X", 1), Draft("Algebra", "ALG 1", 1)} {
		isbn := calculusISBN
		if d.Name == "Algebra" {
			isbn = algebraISBN
		}
		b.Post(t, ann, withISBN(d, isbn))
	}
	b.Post(t, ann, Draft("No ISBN", "X", 1))
	b.expectSuggestion(t, bob, "0306406152", book.Suggestion{Name: "Calculus", Edition: 3, Course: "MATH 161"})
	b.expectSuggestion(t, bob, algebraISBN, book.Suggestion{Name: "Algebra", Edition: 3, Course: "ALG 1"})
	b.expectSuggestion(t, bob, "9780262033848", book.Suggestion{})
}

func suggestsFromEveryStatus(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for i := range 2 {
		v := b.Post(t, ann, withISBN(Draft("Calculus", "MATH 161", 1), calculusISBN))
		if i == 0 {
			b.Buy(t, bob, v.ID)
			continue
		}
		must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	}
	b.Post(t, ann, withISBN(Draft("Claculus", "X", 1), calculusISBN))
	b.expectSuggestion(t, bob, calculusISBN, book.Suggestion{Name: "Calculus", Edition: 3, Course: "MATH 161"})
}

func suggestionsAreBounded(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var posted []book.ID
	for i := range 7 {
		v := b.Post(t, ann, withISBN(Draft("Calculus", "MATH 161", 1), calculusISBN))
		posted = append(posted, v.ID)
		if i%2 == 0 {
			must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
		}
	}
	found := must.Get(b.Ports.ListPostsWithISBN(t.Context(), "9780306406157", 2))(t)
	want := []int{6, 5, 4, 3}
	if len(found) != len(want) {
		t.Fatalf("found %+v", found)
	}
	for i, n := range want {
		if found[i].ID != posted[n] || found[i].Name != "Calculus" || found[i].ISBN != "9780306406157" {
			t.Errorf("post %d is %+v", i, found[i])
		}
	}
}

// isbnTable says what is in it.
type isbnTable map[book.ISBN]book.Suggestion

var errTable = errors.New("the table is gone")

func (t isbnTable) FindISBN(isbn book.ISBN) (book.Suggestion, bool, error) {
	if t == nil {
		return book.Suggestion{}, false, errTable
	}
	s, ok := t[isbn]
	return s, ok, nil
}

// knowing adds a table of books that nobody has posted.
func knowing(all isbnTable) func(*rooms.Config) {
	return func(c *rooms.Config) { c.FindISBN = all.FindISBN }
}

func suggestsFromTable(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	listed := book.Suggestion{Name: "Calculus, Volume 1", Edition: 2}
	b.ISBNLookup = b.Over(b.Deps, knowing(isbnTable{"9780306406157": listed})).ISBNLookup
	b.expectSuggestion(t, ann, "0-306-40615-2", listed)
	b.expectSuggestion(t, ann, algebraISBN, book.Suggestion{})
	b.Post(t, ann, withISBN(Draft("Calculus", "MATH 161", 1), calculusISBN))
	b.expectSuggestion(t, ann, calculusISBN, book.Suggestion{Name: "Calculus", Edition: 3, Course: "MATH 161"})
	listed.Year = 1980
	b.ISBNLookup = b.Over(b.Deps, knowing(isbnTable{"9780306406157": listed})).ISBNLookup
	b.expectSuggestion(t, ann, calculusISBN, book.Suggestion{Name: "Calculus", Edition: 3, Year: 1980, Course: "MATH 161"})
	b.ISBNLookup = b.Over(b.Deps, knowing(isbnTable(nil))).ISBNLookup
	b.expectSuggestion(t, ann, calculusISBN, book.Suggestion{Name: "Calculus", Edition: 3, Course: "MATH 161"})
	must.Refuse(t, must.Err(b.ISBNLookup.Find(t.Context(), ann, algebraISBN)), errTable, "the error of the table became")
}

func suggestsToStudents(t *testing.T, b *MarketFixture) {
	refused(t, must.Err(b.ISBNLookup.Find(t.Context(), user.Caller{}, calculusISBN)), user.ErrUnauthenticated)
	refused(t, must.Err(b.ISBNLookup.Find(t.Context(), user.Caller{ID: 1}, calculusISBN)), user.ErrProfileNeeded)
	refused(t, must.Err(b.ISBNLookup.Find(t.Context(), b.Join(t, "ann", user.Regular), "978-0-306-40615-8")), selling.ErrISBN)
}

func matchNewOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	r := b.aRequest(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Selling.AddBook(ctx, one) }))
	add := func(reason book.Reason) (isNew bool) {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
			added, err := s.Finding.AddMatches(ctx, []book.Match{{ID: b.IDs.Next(), Book: one.ID, Request: r.ID, Owner: bob.ID, Reason: reason, CreatedAt: b.Clock.Now()}})
			isNew = err == nil && added[0]
			return err
		}))
		return isNew
	}
	if !add(book.ByTitle) || add(book.ByTitle) {
		t.Error("a match must be new the first time only")
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Finding.InvalidateMatches(ctx, one.ID) }))
	matches := must.Get(b.Ports.ListMatchesOf(t.Context(), bob.ID, 0, 10))(t)
	if len(matches) != 0 {
		t.Error("an invalidated match is still listed")
	}
	if add(book.ByCourse) {
		t.Error("an invalidated match is new again")
	}
	matches = must.Get(b.Ports.ListMatchesOf(t.Context(), bob.ID, 0, 10))(t)
	if len(matches) != 1 || matches[0].Reason != book.ByCourse || matches[0].Request != r || matches[0].Book.Book != one {
		t.Errorf("read %+v", matches)
	}
}

func manyMatchesAtOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	r := b.aRequest(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	all := make([]book.Match, 100)
	for i := range all {
		one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Selling.AddBook(ctx, one) }))
		all[i] = book.Match{Book: one.ID, Request: r.ID, Owner: bob.ID, Reason: book.ByCourse, CreatedAt: b.Clock.Now()}
	}
	old := func(i int) bool { return i%3 == 0 }
	add := func(matches []book.Match) (isNew []bool) {
		for i := range matches {
			matches[i].ID = b.IDs.Next()
		}
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
			isNew, err = s.Finding.AddMatches(ctx, matches)
			return err
		}))
		return isNew
	}
	var some []book.Match
	for i, m := range all {
		if old(i) {
			some = append(some, m)
		}
	}
	add(some)
	for i, isNew := range add(all) {
		if isNew == old(i) {
			t.Errorf("match %d is new: %t", i, isNew)
		}
	}
	if isNew := add(nil); len(isNew) != 0 {
		t.Errorf("no matches are new: %v", isNew)
	}
	matches := must.Get(b.Ports.ListMatchesOf(t.Context(), bob.ID, 0, 200))(t)
	if len(matches) != len(all) {
		t.Errorf("%d of %d matches are listed", len(matches), len(all))
	}
}
