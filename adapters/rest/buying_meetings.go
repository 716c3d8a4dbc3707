package rest

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
)

// GetMeetingPlaces serves GET /api/user/getMeetingPlaces.
func (h *Handler) GetMeetingPlaces(
	ctx context.Context, r restgen.GetMeetingPlacesRequestObject,
) (restgen.GetMeetingPlacesResponseObject, error) {
	all, err := h.Meetings.PlacesOf(ctx, callerOf(ctx), idOf[order.ID](r.Params.OrderId))
	if err != nil {
		return nil, err
	}
	return restgen.GetMeetingPlaces200JSONResponse(respond(ctx, h, convertAll(all, placeOf))), nil
}

// ProposeMeeting serves POST /api/user/proposeMeeting.
func (h *Handler) ProposeMeeting(ctx context.Context, r restgen.ProposeMeetingRequestObject) (restgen.ProposeMeetingResponseObject, error) {
	at, _ := time.Parse(time.RFC3339, r.Body.At) // the document has refused another form
	o, err := h.Meetings.Propose(ctx, callerOf(ctx), idOf[order.ID](r.Body.OrderId), idOf[meeting.PlaceID](r.Body.PlaceId), at)
	if err != nil {
		return nil, err
	}
	return restgen.ProposeMeeting201JSONResponse(respond(ctx, h, h.meetingOrderOf(ctx, o))), nil
}

// AcceptMeeting serves POST /api/user/acceptMeeting.
func (h *Handler) AcceptMeeting(ctx context.Context, r restgen.AcceptMeetingRequestObject) (restgen.AcceptMeetingResponseObject, error) {
	o, err := h.Meetings.Accept(ctx, callerOf(ctx), idOf[meeting.ID](r.Body.ProposalId))
	if err != nil {
		return nil, err
	}
	return restgen.AcceptMeeting200JSONResponse(respond(ctx, h, h.meetingOrderOf(ctx, o))), nil
}

// ConfirmHandover serves POST /api/user/confirmHandover.
func (h *Handler) ConfirmHandover(
	ctx context.Context, r restgen.ConfirmHandoverRequestObject,
) (restgen.ConfirmHandoverResponseObject, error) {
	o, err := h.Meetings.Confirm(ctx, callerOf(ctx), idOf[order.ID](r.Body.OrderId), r.Body.Code)
	if err != nil {
		return nil, err
	}
	return restgen.ConfirmHandover200JSONResponse(respond(ctx, h, h.meetingOrderOf(ctx, o))), nil
}

// meetingOrderOf returns an order with the code of its hand-over, if the caller may see that.
func (h *Handler) meetingOrderOf(ctx context.Context, o buying.OrderDetails) restgen.Order {
	out := h.orderDetailsOf(o)
	if out.Meeting != nil {
		out.Meeting.Code = nilIfEmpty(string(h.Meetings.CodeFor(callerOf(ctx), o.OrderView)))
	}
	return out
}

// meetingOf returns the meeting of an order without its code, nil if nothing is proposed.
func meetingOf(v market.OrderView) *restgen.Meeting {
	p := v.Meeting
	if p == nil {
		return nil
	}
	return &restgen.Meeting{
		ProposalId: p.ID.String(), State: p.State.String(), Accepted: p.State == meeting.Accepted, At: p.At.UTC(),
		Place:     restgen.MeetingSpot{University: p.University, Name: p.Name, Directions: p.Directions, Hours: p.Hours},
		By:        restgen.Person{Id: p.By.String(), FirstName: v.NameOf(p.By)},
		CreatedAt: p.CreatedAt.UTC(), AcceptedAt: nilIfZero(p.AcceptedAt),
	}
}

func placeOf(p meeting.Place) restgen.MeetingPlace {
	return restgen.MeetingPlace{
		Id: p.ID.String(), University: p.University, Name: p.Name,
		Directions: p.Directions, Hours: p.Hours, OpeningHours: string(p.OpeningHours),
	}
}

// ListMeetingPlaces serves GET /api/dashboard/getMeetingPlaces.
func (h *Handler) ListMeetingPlaces(
	ctx context.Context, r restgen.ListMeetingPlacesRequestObject,
) (restgen.ListMeetingPlacesResponseObject, error) {
	all, next, err := h.Meetings.ListPlaces(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.ListMeetingPlaces200JSONResponse](ctx, h, all, next, err, placeOf)
}

// SavePlace serves POST /api/dashboard/savePlace.
func (h *Handler) SavePlace(ctx context.Context, r restgen.SavePlaceRequestObject) (restgen.SavePlaceResponseObject, error) {
	b := r.Body
	p := meeting.Place{
		University: b.University, OpeningHours: meeting.OpeningHours(valueOr(b.OpeningHours, "")),
		Spot: meeting.Spot{Name: b.Name, Directions: valueOr(b.Directions, ""), Hours: b.Hours},
	}
	if b.PlaceId != nil {
		if p.ID = idOf[meeting.PlaceID](*b.PlaceId); p.ID == 0 { // it would be a new one
			return nil, meeting.ErrPlaceNotFound
		}
	}
	saved, err := h.Meetings.SavePlace(ctx, callerOf(ctx), p)
	return reply[restgen.SavePlace200JSONResponse](ctx, h, saved, err, placeOf)
}

// RemovePlace serves POST /api/dashboard/removePlace.
func (h *Handler) RemovePlace(ctx context.Context, r restgen.RemovePlaceRequestObject) (restgen.RemovePlaceResponseObject, error) {
	err := h.Meetings.RemovePlace(ctx, callerOf(ctx), idOf[meeting.PlaceID](r.Body.PlaceId))
	return replyEmpty[restgen.RemovePlace200JSONResponse](ctx, h, err)
}
