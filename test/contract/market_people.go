package contract

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/conversation"
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
	in := b.Accounts(b.Deps)
	return in.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		u, err := st.LockUser(ctx, who.ID)
		if err != nil {
			return err
		}
		if err := in.AccountStore(st).CheckMove(ctx, u.ID); err != nil {
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

func marketBlocks(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"people one of whom has blocked the other exchange no messages": blockedBothWays,
		"blocks are listed newest first":                                blocksListed,
		"the name of a stranger is not told to those who block":         blockedStranger,
		"oneself and unknown people cannot be blocked":                  blockRefused,
		"a thousand people can be blocked":                              blocksFull,
		"the blocks of a deleted account are deleted":                   blocksErased,
	})
}

func blockedBothWays(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	eve := b.Join(t, "eve", user.Regular)
	for _, c := range []struct{ by, of user.Caller }{{ann, bob}, {bob, ann}} {
		must.Do(t, b.Blocks.Block(t.Context(), c.by, c.of.ID))
		must.Do(t, b.Blocks.Block(t.Context(), c.by, c.of.ID))
		for by, to := range map[user.Caller]talking.Addressee{ann: answer(first), bob: toSeller(v)} {
			refused(t, must.Err(b.Conversations.Send(t.Context(), by, to, "Hello")), conversation.ErrRefused)
		}
		if p := b.read(t, c.by, first.Conversation); !p.Blocked || len(p.Messages) != 1 {
			t.Errorf("the blocker reads %+v", p)
		}
		if p := b.read(t, c.of, first.Conversation); p.Blocked {
			t.Error("the blocked person is told")
		}
		must.Do(t, b.Blocks.Unblock(t.Context(), c.of, c.by.ID)) // not theirs to undo
		refused(t, must.Err(b.Conversations.Send(t.Context(), bob, answer(first), "Hello")), conversation.ErrRefused)
		b.Say(t, eve, toSeller(v), "Hello")
		must.Do(t, b.Blocks.Unblock(t.Context(), c.by, c.of.ID))
	}
	b.Say(t, bob, toSeller(v), "Hello")
}

func (b *MarketFixture) blocked(t *testing.T, by user.Caller) (all []market.Person) {
	t.Helper()
	for _, page := range walk(t, 2, func(p market.Page) ([]talking.BlockView, market.Cursor, error) {
		return b.Blocks.List(t.Context(), by, p)
	}) {
		for _, v := range page {
			all = append(all, v.Person())
		}
	}
	return all
}

func blocksListed(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var want []market.Person
	for _, name := range []string{"bob", "eve", "kim", "lee", "max"} {
		who := b.Join(t, name, user.Regular)
		b.Post(t, who, Draft("Calculus", "MTH 161", 1000))
		must.Do(t, b.Blocks.Block(t.Context(), ann, who.ID))
		b.Clock.Advance(time.Minute)
		want = append([]market.Person{{ID: who.ID, FirstName: name}}, want...)
	}
	must.Do(t, b.Blocks.Unblock(t.Context(), ann, want[1].ID))
	if got := b.blocked(t, ann); !slices.Equal(got, slices.Delete(slices.Clone(want), 1, 2)) {
		t.Errorf("blocked are %+v", got)
	}
	if got := b.blocked(t, user.Caller{ID: want[0].ID, Student: true}); len(got) != 0 {
		t.Errorf("a blocked person sees %+v", got)
	}
}

func blockedStranger(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	if got := b.blocked(t, ann); !slices.Equal(got, []market.Person{{ID: bob.ID}}) {
		t.Errorf("blocked are %+v", got)
	}
	must.Do(t, b.Blocks.Unblock(t.Context(), ann, bob.ID))
	b.Say(t, bob, toSeller(b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))), "Hello")
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	if got := b.blocked(t, ann); !slices.Equal(got, []market.Person{{ID: bob.ID, FirstName: "bob"}}) {
		t.Errorf("blocked are %+v", got)
	}
}

func blockRefused(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	refused(t, b.Blocks.Block(t.Context(), ann, ann.ID), conversation.ErrBlockSelf)
	refused(t, b.Blocks.Block(t.Context(), ann, 404), user.ErrNotFound)
	refused(t, b.Blocks.Block(t.Context(), user.Caller{}, ann.ID), user.ErrUnauthenticated)
	b.DeleteUser(t, bob)
	refused(t, b.Blocks.Block(t.Context(), ann, bob.ID), user.ErrNotFound)
	refused(t, b.Blocks.Block(t.Context(), bob, ann.ID), user.ErrUnauthenticated)
	if got := b.blocked(t, ann); len(got) != 0 {
		t.Errorf("blocked are %+v", got)
	}
}

func blocksFull(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		for i := range conversation.MaxBlocks {
			one := conversation.Block{ID: b.IDs.Next(), By: ann.ID, Of: user.ID(1_000_000 + i), CreatedAt: b.Clock.Now()}
			if err := s.Talking.AddBlock(ctx, one, conversation.MaxBlocks); err != nil {
				return err
			}
		}
		return nil
	}))
	refused(t, b.Blocks.Block(t.Context(), ann, bob.ID), conversation.ErrTooManyBlocks)
	must.Do(t, b.Blocks.Unblock(t.Context(), ann, 1_000_000))
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	must.Do(t, b.Blocks.Block(t.Context(), bob, ann.ID))
}

func blocksErased(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	must.Do(t, b.Blocks.Block(t.Context(), bob, eve.ID))
	must.Do(t, b.Blocks.Block(t.Context(), eve, ann.ID))
	b.DeleteUser(t, bob)
	for _, c := range []struct {
		by, of user.ID
		want   bool
	}{{ann.ID, bob.ID, false}, {bob.ID, eve.ID, false}, {eve.ID, ann.ID, true}} {
		if got, err := b.Ports.HasBlocked(t.Context(), c.by, c.of); got != c.want || err != nil {
			t.Errorf("%d has blocked %d: %v, %v", c.by, c.of, got, err)
		}
	}
}
