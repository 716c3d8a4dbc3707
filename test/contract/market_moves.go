package contract

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketMoves checks when somebody may change the university of their profile.
func marketMoves(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"nobody moves while a report about them is open": movesReported,
		"nobody moves while they buy or sell":            movesTrading,
		"a report is where the person was, or is":        movesRace,
	})
}

// move changes the university of somebody's profile as the auth service does.
func (b *MarketFixture) move(ctx context.Context, who user.Caller, university string) error {
	return b.Accounts(b.Deps).Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		u, err := st.LockUser(ctx, who.ID)
		if err != nil {
			return err
		}
		if err := st.CheckMove(ctx, u.ID); err != nil {
			return err
		}
		p := *u.Profile
		p.University, u.Profile = university, &p
		return st.SaveUser(ctx, u)
	})
}

func movesReported(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Do(t, b.move(t.Context(), ann, "Yale University"))
	first := b.Say(t, bob, talking.Addressee{Book: v.ID}, "Hello?")
	for _, on := range [][]report.Target{about(v), person(ann), {{Kind: report.Conversation, ID: int64(first.Conversation)}}} {
		id := b.report(t, bob, on)
		refused(t, b.move(t.Context(), ann, "Elsewhere"), user.ErrProfileLocked)
		must.Do(t, b.move(t.Context(), bob, "Elsewhere")) // who only reports
		must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Dismiss, ""))(t)
		must.Do(t, b.move(t.Context(), ann, "Yale University"))
	}
}

func movesTrading(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	stay := func(want error) {
		t.Helper()
		for _, who := range []user.Caller{ann, bob} {
			if err := b.move(t.Context(), who, "Elsewhere"); !errors.Is(err, want) {
				t.Errorf("%d moves: %v, want %v", who.ID, err, want)
			}
		}
	}
	sold := b.sell(t, ann, bob, "Topology")
	stay(user.ErrProfileLocked)
	must.Do(t, b.acts(sold.Book)["confirm"](t.Context(), dean))
	stay(user.ErrProfileLocked)
	must.Do(t, b.acts(sold.Book)["pay"](t.Context(), dean))
	stay(nil)
	sold = b.sell(t, ann, bob, "Algebra")
	stay(user.ErrProfileLocked)
	must.Do(t, b.acts(sold.Book)["cancel"](t.Context(), dean))
	stay(nil)
}

func movesRace(t *testing.T, b *MarketFixture) {
	for range 10 {
		ann, bob := b.JoinAt(t, "ann", "Yale University", user.Regular), b.Join(t, "bob", user.Regular)
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
		var id report.ID
		var moved, reported error
		var wait sync.WaitGroup
		wait.Go(func() { moved = b.move(t.Context(), ann, "Elsewhere") })
		wait.Go(func() {
			id, reported = b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: person(ann), Reason: report.Abuse})
		})
		wait.Wait()
		must.Do(t, reported)
		found := must.Get(b.Ports.FindReport(t.Context(), id))(t)
		if left := moved == nil; (found.University == "Elsewhere") != left || !left && !errors.Is(moved, user.ErrProfileLocked) {
			t.Errorf("the report is at %s, the move: %v", found.University, moved)
		}
		b.DeleteUser(t, ann)
		b.DeleteUser(t, bob)
	}
}
