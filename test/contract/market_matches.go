package contract

import (
	"context"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

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
