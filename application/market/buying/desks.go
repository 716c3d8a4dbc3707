package buying

import (
	"context"

	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Desks manages where and when books are handed in and picked up.
type Desks struct {
	deps   unit
	reader Reader
}

// newDesks returns the use cases of desks.
func newDesks(d unit, reader Reader) *Desks { return &Desks{d, reader} }

// List lists the desks that the caller oversees.
func (d *Desks) List(ctx context.Context, by user.Caller) ([]desk.Desk, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	if campus := by.Campus(); campus != "" {
		return d.reader.FindDesks(ctx, campus)
	}
	return d.reader.ListDesks(ctx, desk.Max)
}

// Save stores the desk of a university and replaces an earlier one.
func (d *Desks) Save(ctx context.Context, by user.Caller, one desk.Desk) error {
	if err := by.MustBe(user.Admin); err != nil {
		return err
	}
	one, err := one.Check()
	if err != nil {
		return err
	}
	if err := by.MustOversee(one.University); err != nil {
		return err
	}
	return d.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		one.UpdatedAt = t.Now
		t.Audit(by, "desk.saved", one.University, one.Place+"; "+one.Hours)
		return t.SaveDesk(ctx, one, desk.Max)
	})
}

// Remove deletes the desk of a university.
func (d *Desks) Remove(ctx context.Context, by user.Caller, university string) error {
	if err := by.MustOversee(university); err != nil {
		return err
	}
	return d.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		t.Audit(by, "desk.removed", university, "")
		return t.DeleteDesk(ctx, university)
	})
}

// OrderDesks are the desks of an order; nil where a university has none.
type OrderDesks struct {
	HandIn *desk.Desk // of the university at which the book was listed
	PickUp *desk.Desk // of the buyer's university
}

// OfOrder returns the desks of an order that the caller has read.
func (d *Desks) OfOrder(ctx context.Context, o OrderDetails) (OrderDesks, error) {
	found, err := d.reader.FindDesks(ctx, o.About.University, o.BuyerParty.University)
	if err != nil {
		return OrderDesks{}, err
	}
	of := func(university string) *desk.Desk {
		for i := range found {
			if text.Key(found[i].University) == text.Key(university) {
				return &found[i]
			}
		}
		return nil
	}
	return OrderDesks{HandIn: of(o.About.University), PickUp: of(o.BuyerParty.University)}, nil
}
