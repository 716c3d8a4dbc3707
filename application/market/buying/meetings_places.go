package buying

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// PlacesOf lists the places at which the two sides of an order may meet, by university and name,
// for the two and for admins. For others the order does not exist.
func (m *Meetings) PlacesOf(ctx context.Context, by user.Caller, id order.ID) ([]meeting.Place, error) {
	o, err := m.orders.Get(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if err := m.deps.Handover.Check(); err != nil {
		return nil, err
	}
	all, err := m.places.ListPlacesAt(ctx, o.About.University, o.BuyerParty.University)
	slices.SortFunc(all, func(a, b meeting.Place) int {
		return cmp.Or(
			cmp.Compare(text.Fold(a.University), text.Fold(b.University)), cmp.Compare(text.Fold(a.Name), text.Fold(b.Name)),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return all, err
}

// ListPlaces lists the places that the caller oversees, newest first.
func (m *Meetings) ListPlaces(ctx context.Context, by user.Caller, p market.Page) ([]meeting.Place, market.Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	return market.List(p, func(p meeting.Place) meeting.PlaceID { return p.ID }, func(
		after meeting.PlaceID, n int,
	) ([]meeting.Place, error) {
		return m.places.ListMeetingPlaces(ctx, by.Campus(), after, n)
	})
}

// FindPlace returns one place to admins.
func (m *Meetings) FindPlace(ctx context.Context, by user.Caller, id meeting.PlaceID) (p meeting.Place, err error) {
	if err := by.MustBe(user.Admin); err != nil {
		return p, err
	}
	err = m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		p, err = overseen(by)(t.FindPlace(ctx, id))
		return err
	})
	return p, err
}

// overseen refuses a place that the caller does not oversee.
func overseen(by user.Caller) func(meeting.Place, error) (meeting.Place, error) {
	return func(p meeting.Place, err error) (meeting.Place, error) {
		if err == nil {
			err = by.MustOversee(p.University)
		}
		if err != nil {
			return meeting.Place{}, err
		}
		return p, nil
	}
}

// SavePlace stores a place. One with an ID replaces that place, which the caller must oversee
// too; the proposals to meet there stay as they are.
func (m *Meetings) SavePlace(ctx context.Context, by user.Caller, p meeting.Place) (meeting.Place, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return meeting.Place{}, err
	}
	p, err := p.Check()
	if err != nil {
		return meeting.Place{}, err
	}
	if err := by.MustOversee(p.University); err != nil {
		return meeting.Place{}, err
	}
	isNew := p.ID == 0
	err = m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if isNew {
			p.ID = meeting.PlaceID(t.IDs.Next())
		} else if _, err := overseen(by)(t.LockPlace(ctx, p.ID)); err != nil {
			// It is locked, or saving would bring back a place that another admin removes.
			return err
		}
		p.UpdatedAt = t.Now
		t.Audit(by, "place.saved", p.ID.String(), p.University+": "+p.Name)
		return t.SavePlace(ctx, p, meeting.MaxPlaces)
	})
	return p, err
}

// RemovePlace deletes a place. The proposals to meet there stay as they are.
func (m *Meetings) RemovePlace(ctx context.Context, by user.Caller, id meeting.PlaceID) error {
	if err := by.MustBe(user.Admin); err != nil {
		return err
	}
	return m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		p, err := overseen(by)(t.LockPlace(ctx, id))
		if err != nil {
			return err
		}
		t.Audit(by, "place.removed", id.String(), p.University+": "+p.Name)
		return t.DeletePlace(ctx, id)
	})
}
