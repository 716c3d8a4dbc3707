package memstore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type meetingTable struct{ table }

func (t meetingTable) FindMeeting(_ context.Context, id meeting.ID) (meeting.Proposal, error) {
	p, ok := t.meetings[id]
	if !ok {
		return p, meeting.ErrNotFound
	}
	return p, nil
}

// openMeeting returns the open proposal of an order; nil if there is none.
func (t *marketTables) openMeeting(of order.ID) *meeting.Proposal {
	for _, p := range t.meetings {
		if p.Order == of && p.State.Open() {
			return &p
		}
	}
	return nil
}

func (t meetingTable) FindOpenMeeting(_ context.Context, of order.ID) (*meeting.Proposal, error) {
	return t.openMeeting(of), nil
}

func (t meetingTable) CountMeetings(_ context.Context, of order.ID, by user.ID) (n int, _ error) {
	for _, p := range t.meetings {
		if p.Order == of && p.By == by {
			n++
		}
	}
	return n, nil
}

func (t meetingTable) AddMeeting(_ context.Context, p meeting.Proposal) error {
	t.closeMeeting(p.Order, meeting.Superseded)
	t.meetings[p.ID] = p
	return nil
}

func (t meetingTable) AcceptMeeting(_ context.Context, p meeting.Proposal) error {
	t.meetings[p.ID] = p
	return nil
}

func (t meetingTable) EndMeeting(_ context.Context, of order.ID) error {
	t.closeMeeting(of, meeting.Ended)
	return nil
}

func (t meetingTable) closeMeeting(of order.ID, as meeting.State) {
	if open := t.openMeeting(of); open != nil {
		open.State = as
		t.meetings[open.ID] = *open
	}
}

func (t meetingTable) EndMeetingsOf(_ context.Context, id user.ID) error {
	for _, o := range t.orders {
		if o.Involves(id) && o.Status == order.Placed {
			t.closeMeeting(o.ID, meeting.Ended)
		}
	}
	return nil
}

func (t meetingTable) DeleteMeetingsBy(_ context.Context, id user.ID) error {
	maps.DeleteFunc(t.meetings, func(_ meeting.ID, p meeting.Proposal) bool { return p.By == id })
	return nil
}

// ListMeetingsBy is market.MeetingReader.
func (m *Market) ListMeetingsBy(ctx context.Context, by user.ID, before meeting.ID, n int) ([]meeting.Proposal, error) {
	return rows(ctx, m, func(t *marketTables) []meeting.Proposal {
		return pick(t.meetings, n, func(a, b meeting.Proposal) int { return cmp.Compare(b.ID, a.ID) }, func(p meeting.Proposal) bool {
			return p.By == by && isBelow(int64(p.ID), int64(before))
		})
	})
}

type handoverTable struct{ table }

func (t handoverTable) ListTries(_ context.Context, of order.ID) (meeting.Tries, error) {
	return slices.Clone(t.tries[of]), nil
}

func (t handoverTable) AddTry(_ context.Context, of order.ID, at time.Time) error {
	t.tries[of] = append(slices.Clone(t.tries[of]), at)
	return nil
}

func (t handoverTable) DeleteTries(_ context.Context, of order.ID) error {
	delete(t.tries, of)
	return nil
}

type meetingPlaceTable struct{ table }

func (t meetingPlaceTable) SavePlace(_ context.Context, p meeting.Place, limit int) error {
	others := 0
	for _, other := range t.places {
		if other.ID != p.ID && meeting.Key(other.University) == meeting.Key(p.University) {
			others++
		}
	}
	if others >= limit {
		return meeting.ErrTooManyPlaces
	}
	t.places[p.ID] = p
	return nil
}

func (t meetingPlaceTable) FindPlace(_ context.Context, id meeting.PlaceID) (meeting.Place, error) {
	p, ok := t.places[id]
	if !ok {
		return p, meeting.ErrPlaceNotFound
	}
	return p, nil
}

func (t meetingPlaceTable) LockPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error) {
	return t.FindPlace(ctx, id)
}

func (t meetingPlaceTable) DeletePlace(_ context.Context, id meeting.PlaceID) error {
	if _, ok := t.places[id]; !ok {
		return meeting.ErrPlaceNotFound
	}
	delete(t.places, id)
	return nil
}

// ListPlacesAt is market.MeetingPlaceReader.
func (m *Market) ListPlacesAt(ctx context.Context, universities ...string) ([]meeting.Place, error) {
	return m.meetingPlaces(ctx, math.MaxInt, newestPlace, func(p meeting.Place) bool {
		return slices.ContainsFunc(universities, func(u string) bool { return meeting.Key(u) == meeting.Key(p.University) })
	})
}

// ListMeetingPlaces is market.MeetingPlaceReader.
func (m *Market) ListMeetingPlaces(ctx context.Context, university string, before meeting.PlaceID, n int) ([]meeting.Place, error) {
	return m.meetingPlaces(ctx, n, newestPlace, func(p meeting.Place) bool {
		return isBelow(int64(p.ID), int64(before)) && (university == "" || meeting.Key(p.University) == meeting.Key(university))
	})
}

func newestPlace(a, b meeting.Place) int { return cmp.Compare(b.ID, a.ID) }

func (m *Market) meetingPlaces(ctx context.Context, n int, by func(a, b meeting.Place) int, pass func(meeting.Place) bool) ([]meeting.Place, error) {
	return rows(ctx, m, func(t *marketTables) []meeting.Place { return pick(t.places, n, by, pass) })
}
