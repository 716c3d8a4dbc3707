package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// OfferSelection selects the offers of a user.
type OfferSelection struct {
	Of    user.ID
	Side  order.Side
	State *offer.State // nil: any
	Now   time.Time    // when accepted ones are still valid
}

// OfferView is an offer with its book and the two people.
type OfferView struct {
	offer.Offer
	Name      string        // of the book
	ListPrice money.Amount  // of the book
	From, To  market.Person // the buyer and the seller
}

// Offers lets buyers offer less than the price of a book. An accepted offer is the price of its
// buyer for a while, and reserves nothing.
type Offers struct {
	deps   unit
	reader Reader
}

// newOffers returns the use cases of offers.
func newOffers(d unit, r Reader) *Offers { return &Offers{d, r} }

// offersPerHour is what one user may offer, for all books together.
var offersPerHour = limit.Quota{Name: "offers_hour", Max: 30, Period: time.Hour}

// Make offers a price for a book that is for sale, and tells its seller.
func (s *Offers) Make(ctx context.Context, by user.Caller, of book.ID, price money.Amount, text string) (OfferView, error) {
	if err := by.MustBeStudent(); err != nil {
		return OfferView{}, err
	}
	text, err := offer.CleanText(text)
	if err != nil {
		return OfferView{}, err
	}
	var v OfferView
	err = s.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if err := t.Caller.Profile.CheckTrade(); err != nil {
			return err
		}
		if err := t.UseQuota(ctx, by.ID, offersPerHour, 1); err != nil {
			return err
		}
		if err := t.KeepCurrency(ctx); err != nil {
			return err
		}
		b, err := t.LockBook(ctx, of)
		if err != nil {
			return err
		}
		o, err := offer.Make(offer.ID(t.IDs.Next()), b, by.ID, price, text, t.Now)
		if err != nil {
			return err
		}
		if err := t.mayOffer(ctx, o); err != nil {
			return err
		}
		t.tellOfOffer(notification.OfferMade, message.OfferMade, o, b)
		t.PublishEvent(event.OfOffer(event.OfferMade, o, b, t.Currency))
		if err := t.AddOffer(ctx, o); err != nil {
			return err
		}
		v, err = t.viewOffer(ctx, o, b)
		return err
	})
	return v, err
}

// mayOffer refuses an offer that is one too many, and one between people who are blocked.
func (t *tx) mayOffer(ctx context.Context, o offer.Offer) error {
	earlier, err := t.ListOffersBy(ctx, o.Buyer, o.Book)
	if err != nil {
		return err
	}
	if err := offer.CheckAnother(earlier, t.Now); err != nil {
		return err
	}
	live, err := t.ListLiveOffers(ctx, o.Book)
	if err != nil {
		return err
	}
	if len(live) >= offer.MaxPerBook {
		return offer.ErrFull
	}
	return t.mustReach(ctx, o)
}

// mustReach refuses what the caller wants of somebody who has left, or with whom one has blocked
// the other.
func (t *tx) mustReach(ctx context.Context, o offer.Offer) error {
	to := o.With(t.Caller.ID)
	find := t.LockUsers
	if to == o.Seller { // who leaves waits for the lock of the book, and must not be waited for with it
		find = t.FindUsers
	}
	users, err := find(ctx, to)
	if err != nil {
		return err
	}
	blocked, err := t.AreBlocked(ctx, o.Buyer, o.Seller)
	switch {
	case err != nil:
		return err
	case blocked:
		return offer.ErrRefused
	case users[to].MayTrade() != nil:
		return offer.ErrLeft
	}
	return nil
}

// Answer answers an offer for the side whose turn it is, and tells the other one. For others than
// the two it does not exist.
func (s *Offers) Answer(ctx context.Context, by user.Caller, id offer.ID, r offer.Reply) (OfferView, error) {
	if err := r.Check(); err != nil {
		return OfferView{}, err
	}
	return s.change(ctx, by, id, func(ctx context.Context, t *tx, o *offer.Offer, b book.Book) error {
		if err := o.Reply(by.ID, r, b, t.Now); err != nil {
			return err
		}
		t.tellOfOffer(notification.OfferAnswered, message.OfferAnswered, *o, b)
		if o.State == offer.Declined {
			return nil
		}
		if err := t.mustReach(ctx, *o); err != nil || o.State != offer.Accepted {
			return err
		}
		return t.agree(ctx, *o, b)
	})
}

// agree makes the price of an accepted offer that which its buyer knows, and ends it in time.
func (t *tx) agree(ctx context.Context, o offer.Offer, b book.Book) error {
	t.PublishEvent(event.OfOffer(event.OfferAccepted, o, b, t.Currency))
	if err := t.LowerCartPrice(ctx, o.Buyer, o.Book, o.Price); err != nil {
		return err
	}
	return t.EnqueueAt(ctx, o.ValidUntil, lapseOffer, int64(o.Book), "", int64(o.ID))
}

// Withdraw takes an offer of the caller back.
func (s *Offers) Withdraw(ctx context.Context, by user.Caller, id offer.ID) (OfferView, error) {
	return s.change(ctx, by, id, func(_ context.Context, t *tx, o *offer.Offer, b book.Book) error {
		if err := o.Withdraw(by.ID); err != nil {
			return err
		}
		t.Notify(notification.OfferEnded, o.Seller, b)
		return nil
	})
}

// change runs do with an offer of the caller, its book locked, and stores and returns it.
func (s *Offers) change(
	ctx context.Context, by user.Caller, id offer.ID, do func(context.Context, *tx, *offer.Offer, book.Book) error,
) (v OfferView, err error) {
	if err := by.MustBeStudent(); err != nil {
		return OfferView{}, err
	}
	err = s.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		o, b, err := t.lockOffer(ctx, id)
		switch {
		case err != nil:
			return err
		case !o.Involves(by.ID):
			return offer.ErrNotFound
		}
		if err := do(ctx, t, &o, b); err != nil {
			return err
		}
		if err := t.UpdateOffer(ctx, o); err != nil {
			return err
		}
		v, err = t.viewOffer(ctx, o, b)
		return err
	})
	return v, err
}

// lockOffer loads an offer as it is now, with its book locked.
func (t *tx) lockOffer(ctx context.Context, id offer.ID) (offer.Offer, book.Book, error) {
	o, err := t.FindOffer(ctx, id)
	if err != nil {
		return o, book.Book{}, err
	}
	b, err := t.LockBook(ctx, o.Book)
	if err != nil {
		return o, b, err
	}
	o, err = t.FindOffer(ctx, id) // again, now that nobody changes it
	return o.At(t.Now), b, err
}

// tellOfOffer tells the side whose turn it is not what the other has offered or answered.
func (t *tx) tellOfOffer(kind notification.Kind, mail message.Kind, o offer.Offer, b book.Book) {
	to := o.With(t.Caller.ID)
	t.Notify(kind, to, b)
	t.Mail(mail, to, map[string]string{
		message.ParamBook: b.Name, message.ParamFrom: t.Caller.Profile.FirstName, message.ParamPrice: t.Currency.Format(o.Price),
		message.ParamAnswer: o.State.String(), message.ParamPicture: b.ID.String(),
	})
}

// viewOffer returns an offer for display.
func (t *tx) viewOffer(ctx context.Context, o offer.Offer, b book.Book) (OfferView, error) {
	people, err := t.FindUsers(ctx, o.Buyer, o.Seller)
	return OfferView{Offer: o, Name: b.Name, ListPrice: b.Price, From: people[o.Buyer].Person(), To: people[o.Seller].Person()}, err
}

// List lists the offers that the caller has made as a buyer or got as a seller, newest first.
func (s *Offers) List(
	ctx context.Context, by user.Caller, side order.Side, state *offer.State, p market.Page,
) ([]OfferView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	after, n, err := p.Read()
	if err != nil {
		return nil, "", err
	}
	now := s.deps.Clock.Now()
	all, err := s.reader.ListOffers(ctx, OfferSelection{Of: by.ID, Side: side, State: state, Now: now}, offer.ID(after.ID), n+1)
	for i := range all {
		all[i].Offer = all[i].At(now)
	}
	all, next := market.Cut(all, n, func(v OfferView) market.Position { return market.Position{ID: int64(v.ID)} })
	return all, next, err
}

// PriceOf returns what the caller pays for a book for sale: its price, or that of an accepted offer.
func (s *Offers) PriceOf(ctx context.Context, by user.Caller, b book.Book) (money.Amount, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	agreed, err := s.reader.ListAgreedPrices(ctx, by.ID, s.deps.Clock.Now(), b.ID)
	if price, ok := agreed[b.ID]; ok {
		return min(price, b.Price), err
	}
	return b.Price, err
}
