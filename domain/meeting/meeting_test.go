package meeting_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

const (
	buyer  = 2
	seller = 3
)

func placed() order.Order {
	return order.Order{ID: 7, Buyer: buyer, Seller: seller, Price: 1000, Status: order.Placed}
}

func TestAPlaceSaysWhereAndWhen(t *testing.T) {
	good := meeting.Place{University: "Campus", Spot: meeting.Spot{Name: "Library, \u202eroom 1", Directions: "Left\nof it.", Hours: "8–20"}}
	p, err := good.Check()
	if err != nil || p.Name != "Library, room 1" || p.Directions != good.Directions {
		t.Errorf("the place is %+v, %v; want it without hidden characters", p, err)
	}
	bad := meeting.Place{University: "!!", Spot: meeting.Spot{Name: "a\nb", Directions: strings.Repeat("x", meeting.MaxDirections+1), Hours: strings.Repeat("x", meeting.MaxLine+1)}}
	_, err = bad.Check()
	if f := fault.As(err); f == nil || !slices.Equal(slices.Sorted(maps.Keys(f.Fields)), []string{"directions", "hours", "name", "university"}) {
		t.Errorf("the error is %v, want one that names all four fields", err)
	}
}

func TestOneSideProposesAndTheOtherAccepts(t *testing.T) {
	o := placed()
	p, err := meeting.Propose(1, o, buyer, meeting.Place{University: "Campus", Spot: meeting.Spot{Name: "Library"}}, noon.Add(meeting.Horizon), noon)
	if err != nil || p.State != meeting.Proposed || p.By != buyer || p.Name != "Library" || p.Order != o.ID {
		t.Fatalf("the proposal is %+v, %v; want an open one", p, err)
	}
	for by, want := range map[user.ID]error{buyer: meeting.ErrOwn, 4: meeting.ErrNotFound} {
		if err := p.Accept(o, by, noon); !errors.Is(err, want) {
			t.Errorf("%d accepts: %v, want %v", by, err, want)
		}
	}
	late := p
	must.Refuse(t, late.Accept(o, seller, p.At), meeting.ErrPast, "accepted at its time")
	if err := p.Accept(o, seller, noon.Add(1)); err != nil || p.State != meeting.Accepted || p.AcceptedAt != noon.Add(1) {
		t.Errorf("the proposal is %+v, %v; want it accepted", p, err)
	}
	if err := p.Accept(o, seller, p.At); err != nil || p.AcceptedAt != noon.Add(1) {
		t.Errorf("accepted twice: %+v, %v; want no change", p, err)
	}
	for _, state := range []meeting.State{meeting.Superseded, meeting.Ended} {
		p.State = state
		must.Refuse(t, p.Accept(o, seller, noon), meeting.ErrSuperseded, state)
	}
	o.Status = order.Verified
	must.Refuse(t, p.Accept(o, seller, noon), order.ErrTransition, "a verified order")
}

func TestAMeetingIsWithinSixtyDays(t *testing.T) {
	for at, want := range map[time.Time]error{noon: meeting.ErrTime, noon.Add(-1): meeting.ErrTime, noon.Add(meeting.Horizon + time.Second): meeting.ErrTime, {}: meeting.ErrTime} {
		must.Refuse(t, must.Err(meeting.Propose(1, placed(), buyer, meeting.Place{}, at, noon)), want, at)
	}
	must.Refuse(t, must.Err(meeting.Propose(1, placed(), 4, meeting.Place{}, noon.Add(time.Hour), noon)), order.ErrNotFound, "a third person")
}

func TestTheModeDecidesWhatIsNext(t *testing.T) {
	o := placed()
	byBuyer, bySeller, agreed := &meeting.Proposal{By: buyer}, &meeting.Proposal{By: seller}, &meeting.Proposal{By: seller, State: meeting.Accepted}
	for _, c := range []struct {
		mode meeting.Mode
		open *meeting.Proposal
		want order.Next
	}{
		{meeting.Desk, agreed, order.Next{Who: order.SellerSide, What: order.HandIn}},
		{meeting.Both, nil, order.Next{Who: order.SellerSide, What: order.HandIn}},
		{meeting.Meet, nil, order.Next{Who: order.EitherSide, What: order.ProposeMeeting}},
		{meeting.Both, byBuyer, order.Next{Who: order.SellerSide, What: order.AcceptMeeting}},
		{meeting.Meet, bySeller, order.Next{Who: order.BuyerSide, What: order.AcceptMeeting}},
		{meeting.Both, agreed, order.Next{Who: order.EitherSide, What: order.Meet}},
	} {
		if got, ok := c.mode.Next(o, c.open); got != c.want || !ok {
			t.Errorf("%s, %+v: next is %+v, %v; want %+v", c.mode, c.open, got, ok, c.want)
		}
	}
	direct := placed()
	direct.Settlement = order.Direct
	if got, ok := meeting.Both.Next(direct, nil); got.What != order.ProposeMeeting || !ok {
		t.Errorf("who pay each other have the task %+v, want to meet", got)
	}
	o.Status = order.Delivered
	if got, ok := meeting.Meet.Next(o, agreed); ok {
		t.Errorf("a delivered order has the task %+v, want none", got)
	}
}

func TestAModeHasAName(t *testing.T) {
	for _, name := range []string{"desk", "meet", "both"} {
		if m, ok := meeting.ParseMode(name); !ok || m.String() != name {
			t.Errorf("%s is %v, %v", name, m, ok)
		}
	}
	if m, ok := meeting.ParseMode("DESK"); ok {
		t.Errorf("DESK is %v, want none", m)
	}
}

func TestACodeFollowsFromTheSecretAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := meeting.Secret(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "secret"))
		p := meeting.Proposal{ID: meeting.ID(rapid.Int64Min(1).Draw(t, "id")), Order: order.ID(rapid.Int64Min(1).Draw(t, "order"))}
		code := secret.Code(p)
		if read, ok := meeting.ParseCode(" " + strings.ToLower(strings.ReplaceAll(string(code), "-", " ")) + "\u0020"); !ok || !read.Matches(code) {
			t.Fatalf("%s is read as %s, %v", code, read, ok)
		}
		next, other := p, append(meeting.Secret{1}, secret...)
		next.ID++
		if secret.Code(next) == code || other.Code(p) == code {
			t.Fatalf("another proposal or secret has the code %s, too", code)
		}
	})
}

func TestLettersThatLookLikeDigitsAreRead(t *testing.T) {
	code, ok := meeting.ParseCode("oIl0-7k3n")
	if !ok || code != "0110-7K3N" {
		t.Errorf("read %q, %v; want 0110-7K3N", code, ok)
	}
	for _, bad := range []string{"", "1234567", "123456789", "1234567U", "€€12", "1234\n567"} {
		if code, ok := meeting.ParseCode(bad); ok {
			t.Errorf("%q is read as %q, want none", bad, code)
		}
	}
}

func TestTriesAreCountedForAnyHour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tries meeting.Tries
		now := noon
		for range rapid.IntRange(1, 60).Draw(t, "guesses") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(30*time.Minute)).Draw(t, "pause")))
			err := tries.Check(now)
			recent := 0
			for _, at := range tries {
				if now.Sub(at) < time.Hour {
					recent++
				}
			}
			switch {
			case len(tries) == meeting.TriesPerOrder:
				if !errors.Is(err, meeting.ErrLocked) {
					t.Fatalf("after %d tries: %v, want %v", len(tries), err, meeting.ErrLocked)
				}
			case (err == nil) != (recent < meeting.TriesPerHour):
				t.Fatalf("after %d tries within an hour: %v", recent, err)
			case err == nil:
				tries = append(tries, now)
			default:
				if wait := fault.As(err).RetryAfter; tries.Check(now.Add(wait)) != nil || tries.Check(now.Add(wait-1)) == nil {
					t.Fatalf("the wait of %s is not exact", wait)
				}
			}
		}
	})
}
