package buying

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/user"
)

// lapseOffer is the kind of a job about a book that ends the offer After.
const lapseOffer job.Kind = "lapse_offer"

// endOffers ends the offers for a book that has left the market, and tells their buyers, but not
// the one who has bought it.
func (t *tx) endOffers(ctx context.Context, b book.Book) error {
	return t.endSomeOffers(ctx, b, func(offer.Offer) bool { return true })
}

// endNeedlessOffers ends the offers that are not below the price of a book any more.
func (t *tx) endNeedlessOffers(ctx context.Context, b book.Book) error {
	return t.endSomeOffers(ctx, b, func(o offer.Offer) bool { return o.Price >= b.Price })
}

func (t *tx) endSomeOffers(ctx context.Context, b book.Book, end func(offer.Offer) bool) error {
	live, err := t.ListLiveOffers(ctx, b.ID)
	if err != nil {
		return err
	}
	var ended []offer.ID
	for _, o := range live {
		if !end(o) {
			continue
		}
		ended = append(ended, o.ID)
		if o.Buyer != b.Buyer && o.At(t.Now).State.Live() {
			t.Notify(notification.OfferEnded, o.Buyer, b)
		}
	}
	if len(ended) == 0 {
		return nil
	}
	return t.EndOffers(ctx, ended...)
}

// lapseOffer ends an accepted offer whose time is over.
func (t *tx) lapseOffer(ctx context.Context, b book.Book, j market.Job) error {
	o, err := t.FindOffer(ctx, offer.ID(j.After))
	if errors.Is(err, offer.ErrNotFound) {
		return nil
	}
	if err != nil || o.State != offer.Accepted || o.At(t.Now).State == offer.Accepted {
		return err
	}
	t.Notify(notification.OfferEnded, o.Buyer, b)
	return t.EndOffers(ctx, o.ID)
}

// addLapsed adds to the prices of a cart those of lately lapsed offers for other books: their buyer may
// not have seen yet that the book costs more again.
func (t *tx) addLapsed(ctx context.Context, by user.Caller, of []book.ID, known []KnownPrice) ([]KnownPrice, error) {
	lapsed, err := t.ListLapsedPrices(ctx, by.ID, t.Now, of...)
	for _, k := range known {
		delete(lapsed, k.Book) // the cart knows the price of the offer, or one that its owner has seen since
	}
	for id, price := range lapsed {
		known = append(known, KnownPrice{id, price})
	}
	return known, err
}

// pricesFor returns what a buyer pays for books: their price, or that of an accepted offer.
func (t *tx) pricesFor(ctx context.Context, buyer user.ID, books []book.Book) (map[book.ID]money.Amount, error) {
	ids := make([]book.ID, len(books))
	for i, b := range books {
		ids[i] = b.ID
	}
	agreed, err := t.ListAgreedPrices(ctx, buyer, t.Now, ids...)
	if err != nil {
		return nil, err
	}
	prices := make(map[book.ID]money.Amount, len(books))
	for _, b := range books {
		prices[b.ID] = b.Price
		if price, ok := agreed[b.ID]; ok {
			prices[b.ID] = min(price, b.Price)
		}
	}
	return prices, nil
}
