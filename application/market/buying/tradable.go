package buying

import (
	"context"

	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
)

// Tradable says what is missing before books can change hands.
type Tradable struct {
	reader Reader
	mode   meeting.Mode
}

// newTradable returns the use case.
func newTradable(d unit, r Reader) *Tradable {
	return &Tradable{r, d.Handover}
}

// Missing is what nobody has set up yet.
type Missing struct {
	Desk  bool // books are handed over at desks, and there is none
	Place bool // buyers and sellers meet, and there is no place to
}

// Anywhere returns what owners are to set up: what no university has.
func (t *Tradable) Anywhere(ctx context.Context, by user.Caller) (m Missing, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return m, err
	}
	if t.mode.HasDesk() {
		desks, err := t.reader.ListDesks(ctx, 1)
		if err != nil {
			return m, err
		}
		m.Desk = len(desks) == 0
	}
	if t.mode.Meets() {
		places, err := t.reader.ListMeetingPlaces(ctx, "", 0, 1)
		if err != nil {
			return m, err
		}
		m.Place = len(places) == 0
	}
	return m, nil
}

// At reports whether books of a university can be handed over somewhere.
func (t *Tradable) At(ctx context.Context, university string) (bool, error) {
	if t.mode.HasDesk() {
		if desks, err := t.reader.FindDesks(ctx, university); err != nil || len(desks) > 0 {
			return true, err
		}
	}
	if t.mode.Meets() {
		if places, err := t.reader.ListPlacesAt(ctx, university); err != nil || len(places) > 0 {
			return true, err
		}
	}
	return false, nil
}
