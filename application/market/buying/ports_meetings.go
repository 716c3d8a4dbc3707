package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// MeetingStore stores proposals to meet. Whoever changes those of an order has locked the
// order.
type MeetingStore interface {
	// FindMeeting loads a proposal; meeting.ErrNotFound if there is none.
	FindMeeting(ctx context.Context, id meeting.ID) (meeting.Proposal, error)
	// FindOpenMeeting loads the open proposal of an order; nil if there is none.
	FindOpenMeeting(ctx context.Context, of order.ID) (*meeting.Proposal, error)
	// CountMeetings counts the proposals of one side of an order, in every state.
	CountMeetings(ctx context.Context, of order.ID, by user.ID) (int, error)
	// AddMeeting stores a new proposal. It supersedes the open one of the order.
	AddMeeting(ctx context.Context, p meeting.Proposal) error
	// AcceptMeeting stores that a proposal was accepted.
	AcceptMeeting(ctx context.Context, p meeting.Proposal) error
	// EndMeeting ends the open proposal of an order, if there is one.
	EndMeeting(ctx context.Context, of order.ID) error
}

// MeetingEnder ends the meetings of users who leave.
type MeetingEnder interface {
	// EndMeetingsOf ends the open proposals of orders in status Placed with a user on either
	// side.
	EndMeetingsOf(ctx context.Context, id user.ID) error
	// DeleteMeetingsBy deletes the proposals of a user.
	DeleteMeetingsBy(ctx context.Context, id user.ID) error
}

// HandoverStore stores the wrong codes of orders, at most meeting.TriesPerOrder of each. Whoever
// adds one has locked the order.
type HandoverStore interface {
	ListTries(ctx context.Context, of order.ID) (meeting.Tries, error)
	AddTry(ctx context.Context, of order.ID, at time.Time) error
	// DeleteTries deletes those of an order.
	DeleteTries(ctx context.Context, of order.ID) error
}

// MeetingPlaceStore stores the places at which people meet.
type MeetingPlaceStore interface {
	// SavePlace stores a place and replaces one with the same ID. If limit other places are at
	// the university, the error is meeting.ErrTooManyPlaces.
	SavePlace(ctx context.Context, p meeting.Place, limit int) error
	// FindPlace loads a place; meeting.ErrPlaceNotFound if there is none.
	FindPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error)
	// LockPlace is FindPlace that keeps others from changing or deleting the place until the end
	// of the transaction.
	LockPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error)
	// DeletePlace deletes a place; meeting.ErrPlaceNotFound if there is none.
	DeletePlace(ctx context.Context, id meeting.PlaceID) error
}

// MeetingReader reads proposals.
type MeetingReader interface {
	// ListMeetingsBy lists at most n proposals of a user with ids below before, newest first; 0
	// means no bound.
	ListMeetingsBy(ctx context.Context, by user.ID, before meeting.ID, n int) ([]meeting.Proposal, error)
}

// MeetingPlaceReader reads the places at which people meet.
type MeetingPlaceReader interface {
	// ListPlacesAt lists the places of universities, in no particular order.
	ListPlacesAt(ctx context.Context, universities ...string) ([]meeting.Place, error)
	// ListMeetingPlaces lists at most n places with ids below before, newest first, of one
	// university, or of all if it is empty; 0 means no bound.
	ListMeetingPlaces(ctx context.Context, university string, before meeting.PlaceID, n int) ([]meeting.Place, error)
}
