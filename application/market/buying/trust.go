package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Trust lets the two sides of a sale say whether it was as described, and shows how often
// that was so.
type Trust struct {
	deps   unit
	reader Reader
}

// newTrust returns the use cases of ratings.
func newTrust(d unit, r Reader) *Trust { return &Trust{d, r} }

// Rate says whether an order of the caller was as described. Until rating.Window after the
// delivery it replaces what the caller said before. For others the order does not exist.
func (s *Trust) Rate(ctx context.Context, by user.Caller, id order.ID, asDescribed bool, line string) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	line, err := rating.CleanText(line)
	if err != nil {
		return err
	}
	return s.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		found, err := t.FindOrders(ctx, []order.ID{id})
		if err != nil {
			return err
		}
		if len(found) == 0 || !found[0].Involves(by.ID) {
			return order.ErrNotFound
		}
		r, err := rating.New(found[0], by.ID, asDescribed, line, t.Now)
		if err != nil {
			return err
		}
		return t.SaveRating(ctx, r)
	})
}

// OrderRatings are what the two sides of an order say; nil: nothing.
type OrderRatings struct {
	Buyer, Seller *rating.Rating
	Open          bool // the caller may say it now
}

// OfOrder returns the ratings of an order that the caller may see, as Orders.Get returns it.
func (s *Trust) OfOrder(ctx context.Context, by user.Caller, o order.Order) (OrderRatings, error) {
	all, err := s.reader.ListRatings(ctx, o.ID)
	r := OrderRatings{Open: o.Involves(by.ID) && rating.Check(o, s.deps.Clock.Now()) == nil}
	for i := range all {
		if all[i].By == o.Buyer {
			r.Buyer = &all[i]
		} else {
			r.Seller = &all[i]
		}
	}
	return r, err
}

// Of counts how many people found a user's sales as described, of the newest that have been rated. The count is zero, and so not
// shown, until rating.MinShown people have said so, and for report.TrustGap after an admin
// has upheld a report about the user: reports win over votes.
func (s *Trust) Of(ctx context.Context, id user.ID) (rating.Count, error) {
	count, err := s.reader.CountRatings(ctx, id, rating.MaxCounted)
	if err != nil || !count.Shown() {
		return rating.Count{}, err
	}
	upheld, err := s.reader.HasUpheldReport(ctx, id, s.deps.Clock.Now().Add(-report.TrustGap))
	if err != nil || upheld {
		return rating.Count{}, err
	}
	return count, nil
}

// Record is what others may know of how somebody trades.
type Record struct {
	market.Seller
	Ratings rating.Count // see Trust.Of
}

// OfSeller returns the record of the seller of a book that the caller may see.
func (s *Trust) OfSeller(ctx context.Context, seller user.ID) (Record, error) {
	found, err := s.reader.FindSeller(ctx, seller, market.MaxSales+1)
	if err != nil {
		return Record{}, err
	}
	count, err := s.Of(ctx, seller)
	return Record{found, count}, err
}
