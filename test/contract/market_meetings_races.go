package contract

import (
	"errors"
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func raceHandovers(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	errs := make([]error, 10)
	must.Together(len(errs), func(i int) { errs[i] = b.confirm(t, m, code) })
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, order.ErrTransition):
			t.Errorf("a second confirmation got %v, want %v", err, order.ErrTransition)
		}
	}
	if won != 1 {
		t.Errorf("%d confirmations succeeded, want 1", won)
	}
	b.CheckLedger(t)
}

func raceHandoverAndCancel(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	for round := range 8 {
		if round > 0 {
			v := b.Post(t, m.ann, Draft("Calculus", "MTH 161", 1000))
			b.Buy(t, m.bob, v.ID)
			m.order = b.orderOf(t, m.bob)
		}
		code := b.agree(t, m)
		var errs [2]error
		must.Together(2, func(i int) {
			switch {
			case i == 0:
				errs[0] = b.confirm(t, m, code)
			case round%2 == 0:
				_, errs[1] = b.Orders.Withdraw(t.Context(), m.bob, m.order.ID, "because")
			default:
				_, errs[1] = b.Orders.Cancel(t.Context(), m.dean, m.order.Book, "because")
			}
		})
		// An admin can still cancel what was handed over, but neither side can.
		if both := errs[0] == nil && errs[1] == nil; both && round%2 == 0 || errs[0] != nil && errs[1] != nil {
			t.Errorf("confirmed: %v, cancelled: %v; want one of them to succeed", errs[0], errs[1])
		}
	}
	b.CheckLedger(t)
}

func raceGuesses(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	errs := make([]error, 40)
	must.Together(len(errs), func(i int) { errs[i] = b.confirm(t, m, wrong(code)) })
	guessed := 0
	for _, err := range errs {
		switch {
		case errors.Is(err, meeting.ErrCode):
			guessed++
		case fault.KindOf(err) != fault.Limited:
			t.Errorf("a guess got %v, want a wrong code or a limit", err)
		}
	}
	if guessed != meeting.TriesPerHour {
		t.Errorf("%d codes were compared, want %d", guessed, meeting.TriesPerHour)
	}
}

func raceProposals(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	must.Together(10, func(i int) {
		by := m.ann
		if i%2 == 0 {
			by = m.bob
		}
		if v, err := b.Meetings.Propose(t.Context(), by, m.order.ID, m.place.ID, b.tomorrow()); err != nil || v.Meeting == nil {
			t.Errorf("a proposal got %v", err)
		}
	})
	open := 0
	for _, e := range append(b.export(t, m.ann, 100).Meetings, b.export(t, m.bob, 100).Meetings...) {
		if e.State == "proposed" {
			open++
		}
	}
	if open != 1 {
		t.Errorf("%d proposals are open, want 1", open)
	}
}

func racePlaces(t *testing.T, b *MarketFixture) {
	dean, dora := b.Join(t, "dean", user.Admin), b.Join(t, "dora", user.Admin)
	for round := range 20 {
		p := b.aPlace(t, dean, fmt.Sprint("Bench ", round))
		var saved, removed error
		must.Together(2, func(i int) {
			if i == 0 {
				_, saved = b.Meetings.SavePlace(t.Context(), dora, p)
			} else {
				removed = b.Meetings.RemovePlace(t.Context(), dean, p.ID)
			}
		})
		if removed != nil || saved != nil && !errors.Is(saved, meeting.ErrPlaceNotFound) {
			t.Errorf("removed: %v, saved: %v", removed, saved)
		}
		all, _, err := b.Meetings.ListPlaces(t.Context(), dean, market.Page{})
		if err != nil || len(all) != 0 {
			t.Fatalf("after the removal there are the places %+v, %v; want none", all, err)
		}
	}
}
