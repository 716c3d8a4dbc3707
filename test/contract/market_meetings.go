package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketMeetings(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the two agree on a place and a time":                      meetingAgreed,
		"a newer proposal has to be accepted anew":                 meetingReplaced,
		"for a third person there is no meeting":                   meetingPrivate,
		"a meeting is in the future, at a place of the two":        meetingBounds,
		"proposals are bounded":                                    meetingFlood,
		"nobody meets where books change hands at the desk":        meetingOff,
		"the seller confirms the hand-over with the buyer's code":  handedOver,
		"only the buyer sees the code":                             handoverSecret,
		"wrong codes are limited to five an hour and twenty":       handoverTries,
		"a meeting ends with its order, or when an admin confirms": meetingEnded,
		"a meeting ends when one of the two leaves":                meetingLeft,
		"a deleted account leaves no proposals":                    meetingErased,
		"places are saved, changed and removed":                    meetingPlacesSaved,
		"the places of a university are bounded":                   meetingPlacesBounded,
	})
}

// aMeeting is an order whose buyer and seller can meet.
type aMeeting struct {
	ann, bob, dean user.Caller // the seller, the buyer and an admin
	order          buying.OrderDetails
	place          meeting.Place
}

func (b *MarketFixture) aMeeting(t *testing.T) aMeeting {
	t.Helper()
	ann, bob, dean, _ := b.aSale(t)
	return aMeeting{ann, bob, dean, b.orderOf(t, bob), b.aPlace(t, dean, "Library, main entrance")}
}

func (b *MarketFixture) aPlace(t *testing.T, dean user.Caller, name string) meeting.Place {
	t.Helper()
	return must.Get(b.Meetings.SavePlace(t.Context(), dean, meeting.Place{University: "University of Rochester", Spot: meeting.Spot{Name: name, Directions: "Left of\nthe clock", Hours: "8–20"}, OpeningHours: "Mo-Fr 08:00-20:00"}))(t)
}

// tomorrow is when people meet.
func (b *MarketFixture) tomorrow() time.Time { return b.Clock.Now().Add(24 * time.Hour) }

// agree makes the two of an order agree on a time so soon that the code counts, and returns the code that the buyer sees.
func (b *MarketFixture) agree(t *testing.T, m aMeeting) meeting.Code {
	t.Helper()
	return b.agreeOn(t, m, b.Clock.Now().Add(30*time.Minute))
}

// agreeOn is agree for a time.
func (b *MarketFixture) agreeOn(t *testing.T, m aMeeting, at time.Time) meeting.Code {
	t.Helper()
	v := must.Get(b.Meetings.Propose(t.Context(), m.ann, m.order.ID, m.place.ID, at))(t)
	must.Get(b.Meetings.Accept(t.Context(), m.bob, v.Meeting.ID))(t)
	return b.code(t, m)
}

func (b *MarketFixture) code(t *testing.T, m aMeeting) meeting.Code {
	t.Helper()
	o := must.Get(b.Orders.Get(t.Context(), m.bob, m.order.ID))(t)
	return b.Meetings.CodeFor(m.bob, o.OrderView)
}

func (b *MarketFixture) confirm(t *testing.T, m aMeeting, code meeting.Code) error {
	t.Helper()
	return must.Err(b.Meetings.Confirm(t.Context(), m.ann, m.order.ID, string(code)))
}

// wrong returns a code that is not the given one.
func wrong(code meeting.Code) meeting.Code {
	last := "0"
	if strings.HasSuffix(string(code), last) {
		last = "1"
	}
	return code[:len(code)-1] + meeting.Code(last)
}

func meetingAgreed(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	at := b.tomorrow()
	v := must.Get(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, at))(t)
	want := meeting.Proposal{ID: v.Meeting.ID, Order: m.order.ID, By: m.bob.ID, University: m.place.University, Spot: m.place.Spot, At: at, CreatedAt: b.Clock.Now()}
	for _, by := range []user.Caller{m.ann, m.bob, m.dean} {
		o := must.Get(b.Orders.Get(t.Context(), by, m.order.ID))(t)
		if o.Meeting == nil || *o.Meeting != want {
			t.Errorf("the meeting is %+v, want %+v", o.Meeting, want)
		}
	}
	refused(t, b.accept(t, m.bob, want.ID), meeting.ErrOwn)
	b.Clock.Advance(time.Minute)
	must.Do(t, b.accept(t, m.ann, want.ID))
	must.Do(t, b.accept(t, m.ann, want.ID)) // twice is fine
	want.State, want.AcceptedAt = meeting.Accepted, b.Clock.Now()
	if got := b.orderOf(t, m.bob).Meeting; got == nil || *got != want {
		t.Errorf("the meeting is %+v, want %+v", got, want)
	}
	if got := b.NotificationsOf(t, m.ann); !slices.Contains(got, notification.MeetingProposed) {
		t.Errorf("the seller's notifications are %v, want meeting_proposed", got)
	}
	if got := b.NotificationsOf(t, m.bob); slices.Contains(got, notification.MeetingProposed) || got[len(got)-1] != notification.MeetingAccepted {
		t.Errorf("the buyer's notifications are %v, want meeting_accepted as the last", got)
	}
	mails := b.Mails(t)
	if last := mails[len(mails)-1]; last.Kind != message.MeetingAccepted || last.Params[message.ParamPlace] != m.place.Name || last.Params[message.ParamAt] != at.Format(time.RFC3339) || last.Params[message.ParamFrom] != "ann" {
		t.Errorf("the last mail is %+v, want the accepted meeting", last)
	}
}

func (b *MarketFixture) accept(t *testing.T, by user.Caller, id meeting.ID) error {
	t.Helper()
	return must.Err(b.Meetings.Accept(t.Context(), by, id))
}

func meetingReplaced(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	first := b.orderOf(t, m.bob).Meeting.ID
	v := must.Get(b.Meetings.Propose(t.Context(), m.ann, m.order.ID, m.place.ID, b.tomorrow().Add(time.Hour)))(t)
	if got := b.code(t, m); got != "" {
		t.Errorf("before the buyer accepts, the code is %q, want none", got)
	}
	refused(t, b.confirm(t, m, code), meeting.ErrNotAccepted)
	refused(t, b.accept(t, m.bob, first), meeting.ErrSuperseded)
	must.Do(t, b.accept(t, m.bob, v.Meeting.ID))
	if again := b.code(t, m); again == code || again == "" {
		t.Errorf("the code is %q again, want a new one", again)
	}
	b.Clock.Advance(25 * time.Hour)
	v = must.Get(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, b.Clock.Now().Add(time.Hour)))(t)
	b.Clock.Advance(time.Hour)
	refused(t, b.accept(t, m.ann, v.Meeting.ID), meeting.ErrPast)
}

func meetingPrivate(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	id := b.orderOf(t, m.bob).Meeting.ID
	for _, by := range []user.Caller{b.Join(t, "eve", user.Regular), m.dean} {
		refused(t, must.Err(b.Meetings.Propose(t.Context(), by, m.order.ID, m.place.ID, b.tomorrow())), order.ErrNotFound)
		refused(t, must.Err(b.Meetings.Confirm(t.Context(), by, m.order.ID, string(code))), order.ErrNotFound)
		refused(t, b.accept(t, by, id), meeting.ErrNotFound)
		refused(t, b.accept(t, by, 4242), meeting.ErrNotFound)
		if by.ID != m.dean.ID {
			refused(t, must.Err(b.Meetings.PlacesOf(t.Context(), by, m.order.ID)), order.ErrNotFound)
		}
	}
	refused(t, must.Err(b.Meetings.Confirm(t.Context(), m.bob, m.order.ID, string(code))), meeting.ErrSeller)
	refused(t, must.Err(b.Meetings.Propose(t.Context(), user.Caller{}, m.order.ID, m.place.ID, b.tomorrow())), user.ErrUnauthenticated)
}

func meetingBounds(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	for _, at := range []time.Time{{}, b.Clock.Now(), b.Clock.Now().Add(-time.Hour), b.Clock.Now().Add(meeting.Horizon + time.Second)} {
		refused(t, must.Err(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, at)), meeting.ErrTime)
	}
	elsewhere := must.Get(b.Meetings.SavePlace(t.Context(), m.dean, meeting.Place{University: "Elsewhere", Spot: meeting.Spot{Name: "Gate", Hours: "always"}}))(t)
	for _, id := range []meeting.PlaceID{0, 4242, elsewhere.ID} {
		refused(t, must.Err(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, id, b.tomorrow())), meeting.ErrPlaceNotFound)
	}
	b.aPlace(t, m.dean, "Café")
	places, err := b.Meetings.PlacesOf(t.Context(), m.bob, m.order.ID)
	if err != nil || len(places) != 2 || places[0].Name != "Café" || places[1] != m.place {
		t.Errorf("the places are %+v, %v; want the two of the university by name", places, err)
	}
	must.Get(b.Orders.Confirm(t.Context(), m.dean, m.order.Book))(t)
	refused(t, must.Err(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, b.tomorrow())), order.ErrTransition)
}

func meetingFlood(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	for range meeting.MaxProposals {
		must.Get(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, b.tomorrow()))(t)
	}
	refused(t, must.Err(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, b.tomorrow())), meeting.ErrTooMany)
	_, err := b.Meetings.Propose(t.Context(), m.ann, m.order.ID, m.place.ID, b.tomorrow()) // the other side still can
	must.Do(t, err)
	v := b.Post(t, m.ann, Draft("Physics", "PHY 121", 1000))
	next := b.Buy(t, m.bob, v.ID).Orders[0].ID
	for i := range 11 {
		_, err = b.Meetings.Propose(t.Context(), m.bob, next, m.place.ID, b.tomorrow())
		if i < 10 {
			must.Do(t, err)
		}
	}
	if f := fault.As(err); f == nil || f.Kind != fault.Limited || f.RetryAfter <= 0 {
		t.Errorf("the 31st proposal within an hour: %v, want a limit", err)
	}
}

func meetingOff(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	off := b.Over(b.Deps).Meetings
	refused(t, must.Err(off.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, b.tomorrow())), meeting.ErrOff)
	refused(t, must.Err(off.Accept(t.Context(), m.bob, 1)), meeting.ErrOff)
	refused(t, must.Err(off.Confirm(t.Context(), m.ann, m.order.ID, string(code))), meeting.ErrOff)
	refused(t, must.Err(off.PlacesOf(t.Context(), m.bob, m.order.ID)), meeting.ErrOff)
	if got := off.CodeFor(m.bob, b.orderOf(t, m.bob).OrderView); got != "" {
		t.Errorf("the code is %q, want none", got)
	}
}

func handedOver(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	refused(t, b.confirm(t, m, "0000-0000"), meeting.ErrNotAccepted)
	code := b.agree(t, m)
	b.Clock.Advance(time.Hour)
	typed := " " + strings.ToLower(strings.ReplaceAll(string(code), "-", " ")) + " "
	v := must.Get(b.Meetings.Confirm(t.Context(), m.ann, m.order.ID, typed))(t)
	if v.Status != order.Placed || v.Handover != order.AtMeeting || !v.HandedOverAt.Equal(b.Clock.Now()) || !v.VerifiedAt.IsZero() || v.DeliveredBy != 0 || v.About.Status != book.Bought || v.Meeting == nil {
		t.Errorf("the order is %+v, want it handed over and nothing more", v)
	}
	b.CheckLedger(t)
	refused(t, b.confirm(t, m, code), order.ErrTransition)
	if events := b.Events(t); events[len(events)-1].Type != event.OrderPlaced {
		t.Errorf("the last event is %s, want none of the hand-over", events[len(events)-1].Type)
	}
	for _, who := range []user.Caller{m.ann, m.bob} {
		if got := b.NotificationsOf(t, who); got[len(got)-1] != notification.HandedOver {
			t.Errorf("%d has the notifications %v, want handed_over as the last", who.ID, got)
		}
	}
	mails := b.Mails(t)
	if last := mails[len(mails)-1]; last.Kind != message.HandedOver || last.Params[message.ParamTotal] != "10.50" || last.Params[message.ParamMet] != "yes" {
		t.Errorf("the last mail is %+v, want what the buyer owes", last)
	}
	audits := b.Audits(t)
	if last := audits[len(audits)-1]; last.Action != "order.handed_over" || last.Actor != m.ann.ID || strings.Contains(last.Detail, string(code)) {
		t.Errorf("the last audit entry is %+v, want order.handed_over", last)
	}
}

func handoverSecret(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	if len(code) != 9 || strings.Contains(string(m.order.ID.Code()), string(code)) {
		t.Errorf("the code is %q", code)
	}
	o := must.Get(b.Orders.Get(t.Context(), m.dean, m.order.ID))(t)
	for _, by := range []user.Caller{m.ann, m.dean, {}} {
		if got := b.Meetings.CodeFor(by, o.OrderView); got != "" {
			t.Errorf("%d sees the code %q", by.ID, got)
		}
	}
	plain := strings.ReplaceAll(string(code), "-", "")
	stored := fmt.Sprintf("%+v %+v %+v %+v %+v", b.Mails(t), b.Audits(t), b.Events(t), b.export(t, m.ann, 100), o)
	if strings.Contains(stored, string(code)) || strings.Contains(stored, plain) {
		t.Errorf("the code %s is in mails, audit entries, events, an export or the order", code)
	}
	must.Do(t, b.confirm(t, m, code))
	if got := b.code(t, m); got != "" {
		t.Errorf("after the hand-over the code is %q, want none", got)
	}
}

func handoverTries(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	for _, unreadable := range []meeting.Code{"", "1234", "AAAA-AAAAA", "AAAA-AAU?", "€€€€"} {
		for range 2 {
			refused(t, b.confirm(t, m, unreadable), meeting.ErrCode)
		}
	}
	for n := range meeting.TriesPerOrder {
		refused(t, b.confirm(t, m, wrong(code)), meeting.ErrCode)
		if n%meeting.TriesPerHour < meeting.TriesPerHour-1 || n == meeting.TriesPerOrder-1 {
			b.Clock.Advance(time.Minute)
			continue
		}
		err := b.confirm(t, m, code) // not even the right one
		if f := fault.As(err); f == nil || f.Code != meeting.ErrWait.Code || f.RetryAfter <= 0 || f.RetryAfter > time.Hour {
			t.Fatalf("after %d wrong codes: %v, want a wait of at most an hour", n+1, err)
		}
		b.Clock.Advance(fault.As(err).RetryAfter)
		b.Clock.Advance(time.Hour)
	}
	b.Clock.Advance(48 * time.Hour)
	refused(t, b.confirm(t, m, code), meeting.ErrLocked)
	b.agree(t, m) // a new meeting does not open it again
	refused(t, b.confirm(t, m, b.code(t, m)), meeting.ErrLocked)
	must.Get(b.Orders.Confirm(t.Context(), m.dean, m.order.Book))(t)
	must.Get(b.Orders.SetPaid(t.Context(), m.dean, m.order.Book))(t)
	b.CheckLedger(t)
}

func meetingEnded(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	id := b.orderOf(t, m.bob).Meeting.ID
	must.Get(b.Orders.Withdraw(t.Context(), m.bob, m.order.ID, "because"))(t)
	refused(t, b.confirm(t, m, code), order.ErrTransition)
	refused(t, b.accept(t, m.bob, id), order.ErrTransition)
	if o := b.orderOf(t, m.bob); o.Meeting != nil {
		t.Errorf("the cancelled order has the meeting %+v", o.Meeting)
	}
	b.Buy(t, m.bob, m.order.Book)
	m.order = b.orderOf(t, m.bob)
	code = b.agree(t, m)
	must.Get(b.Orders.Confirm(t.Context(), m.dean, m.order.Book))(t)
	refused(t, b.confirm(t, m, code), order.ErrTransition)
	if o := b.orderOf(t, m.bob); o.Meeting != nil || b.code(t, m) != "" {
		t.Errorf("the order that an admin has confirmed has the meeting %+v", o.Meeting)
	}
}

func meetingLeft(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	code := b.agree(t, m)
	b.suspend(t, m.bob)
	refused(t, b.confirm(t, m, code), order.ErrTransition) // a suspension cancels the order
	o, err := b.Orders.Get(t.Context(), m.dean, m.order.ID)
	if err != nil || o.Meeting != nil || o.Status != order.Cancelled {
		t.Errorf("the order is %+v, %v; want it cancelled without a meeting", o, err)
	}
}

func meetingErased(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	must.Get(b.Meetings.Propose(t.Context(), m.bob, m.order.ID, m.place.ID, b.tomorrow()))(t)
	if e := b.export(t, m.bob, 10).Meetings; len(e) != 1 || e[0].OrderID != m.order.ID.String() || e[0].Place != m.place.Name || e[0].State != "proposed" || !e[0].At.Equal(b.tomorrow()) {
		t.Errorf("the export has the meetings %+v, want the proposal", e)
	}
	code := b.agree(t, m)
	if e := b.export(t, m.bob, 10).Meetings; len(e) != 1 || e[0].State != "superseded" {
		t.Errorf("the export has the meetings %+v, want the superseded proposal", e)
	}
	b.DeleteUser(t, m.bob)
	if e := b.export(t, m.bob, 10).Meetings; len(e) != 0 {
		t.Errorf("after the deletion there are the meetings %+v", e)
	}
	if e := b.export(t, m.ann, 10).Meetings; len(e) != 1 || e[0].State != "ended" {
		t.Errorf("the seller's export has the meetings %+v, want an ended one", e)
	}
	refused(t, b.confirm(t, m, code), meeting.ErrNotAccepted)
	refused(t, must.Err(b.Meetings.Propose(t.Context(), m.ann, m.order.ID, m.place.ID, b.tomorrow())), meeting.ErrAlone)
}

func meetingPlacesSaved(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	changed := m.place
	changed.Name, changed.University = "<script>alert(1)</script>", "UNIVERSITY of Rochester"
	b.Clock.Advance(time.Minute)
	saved := must.Get(b.Meetings.SavePlace(t.Context(), m.dean, changed))(t)
	changed.UpdatedAt = b.Clock.Now()
	all, _, err := b.Meetings.ListPlaces(t.Context(), m.dean, market.Page{})
	if err != nil || len(all) != 1 || all[0] != changed || saved != changed {
		t.Errorf("the places are %+v, %v; want the changed one", all, err)
	}
	changed.ID = 4242
	refused(t, must.Err(b.Meetings.SavePlace(t.Context(), m.dean, changed)), meeting.ErrPlaceNotFound)
	_, err = b.Meetings.SavePlace(t.Context(), m.dean, meeting.Place{Spot: meeting.Spot{Name: "x\r\nBcc: eve@example.com", Directions: "a\x00"}})
	refused(t, err, meeting.ErrPlaceInvalid)
	if got := fault.As(err).Fields; len(got) != 4 {
		t.Errorf("the invalid fields are %v, want all four", got)
	}
	refused(t, must.Err(b.Meetings.SavePlace(t.Context(), m.ann, m.place)), user.ErrForbidden)
	refused(t, b.Meetings.RemovePlace(t.Context(), m.bob, m.place.ID), user.ErrForbidden)
	refused(t, must.Err(b.Meetings.ListPlaces(t.Context(), m.bob, market.Page{})), user.ErrForbidden)
	b.agree(t, m)
	must.Do(t, b.Meetings.RemovePlace(t.Context(), m.dean, m.place.ID))
	refused(t, b.Meetings.RemovePlace(t.Context(), m.dean, m.place.ID), meeting.ErrPlaceNotFound)
	if o := b.orderOf(t, m.bob); o.Meeting == nil || o.Meeting.Name != changed.Name {
		t.Errorf("without the place the meeting is %+v, want the place as it was", o.Meeting)
	}
}

func meetingPlacesBounded(t *testing.T, b *MarketFixture) {
	dean := b.Join(t, "dean", user.Admin)
	var last meeting.Place
	for i := range meeting.MaxPlaces {
		last = b.aPlace(t, dean, fmt.Sprint("Bench ", i))
	}
	full := meeting.Place{University: "university of rochester", Spot: meeting.Spot{Name: "One more", Hours: "always"}}
	refused(t, must.Err(b.Meetings.SavePlace(t.Context(), dean, full)), meeting.ErrTooManyPlaces)
	_, err := b.Meetings.SavePlace(t.Context(), dean, last) // a change is none more
	must.Do(t, err)
	full.University = "Yale"
	must.Get(b.Meetings.SavePlace(t.Context(), dean, full))(t)
	first, next := must.Get2(b.Meetings.ListPlaces(t.Context(), dean, market.Page{Limit: 30}))(t)
	rest, end, err := b.Meetings.ListPlaces(t.Context(), dean, market.Page{Limit: 30, Cursor: next})
	if err != nil || len(first) != 30 || len(rest) != 21 || end != "" || first[0].University != "Yale" {
		t.Errorf("the pages have %d and %d places, %v; want 30 and 21", len(first), len(rest), err)
	}
}
