package buying

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Checkout buys books. If several users buy the same book at once, exactly one gets it.
type Checkout struct {
	deps unit
	rate order.FeeRate
}

// newCheckout returns a checkout that adds a fee to each price.
func newCheckout(d unit, rate order.FeeRate) *Checkout { return &Checkout{d, rate} }

// Fee is the fee on a price.
func (c *Checkout) Fee(price money.Amount) money.Amount { return c.rate.Of(price) }

// Do buys a basket in one transaction: all of it, or nothing unless the basket allows a
// partial checkout. Books that are no longer for sale are an *UnavailableError, books of
// the caller are book.ErrOwnBook, and a total other than the agreed one is a
// *PriceChangedError, as is, without an agreed one, a price above the one that the cart knows.
// With an idempotency key, the response is stored for
// IdempotencyKeyLife, including these refusals: a repeated call with the same body gets
// it again, with Replayed set, and one with another body gets ErrKeyReused.
func (c *Checkout) Do(ctx context.Context, by user.Caller, b Basket) (Receipt, error) {
	if err := by.MustBeStudent(); err != nil {
		return Receipt{}, err
	}
	b, err := b.check()
	if err != nil {
		return Receipt{}, err
	}
	var result checkoutResult
	replayed, err := c.deps.WithIdempotencyKey(ctx, by, b.Key, op{
		Do: func(ctx context.Context, t *tx) (err error) {
			result, err = c.buy(ctx, t, by, b)
			return err
		},
		Response: result.storedResponse,
		Replay: func(ctx context.Context, t *tx, stored market.StoredResponse) (err error) {
			result, err = t.replayCheckout(ctx, stored)
			return err
		},
	})
	if err != nil {
		return Receipt{}, err
	}
	return result.receipt(replayed)
}

// buy locks all books in ascending order, then decides, and only then changes anything:
// a refusal commits, so it must leave nothing behind but the stored response.
func (c *Checkout) buy(ctx context.Context, t *tx, by user.Caller, b Basket) (checkoutResult, error) {
	if err := t.Caller.Profile.CheckTrade(); err != nil {
		return checkoutResult{}, err
	}
	if err := t.KeepCurrency(ctx); err != nil {
		return checkoutResult{}, err
	}
	ids, known, err := t.basketBooks(ctx, by, b)
	if err != nil {
		return checkoutResult{}, err
	}
	books, err := t.LockBooks(ctx, ids...)
	if err != nil {
		return checkoutResult{}, err
	}
	if slices.ContainsFunc(books, func(b book.Book) bool { return b.Seller == by.ID }) {
		return checkoutResult{refusal: book.ErrOwnBook}, nil
	}
	books = slices.DeleteFunc(books, func(b book.Book) bool { return b.Status != book.ForSale })
	unavailable := slices.DeleteFunc(ids, func(id book.ID) bool {
		return slices.ContainsFunc(books, func(b book.Book) bool { return b.ID == id })
	})
	result := checkoutResult{unavailable: unavailable}
	if len(books) == 0 || len(unavailable) > 0 && !b.AllowPartial {
		result.refusal = book.ErrNotAvailable
		return result, nil
	}
	prices, err := t.pricesFor(ctx, by.ID, books)
	if err != nil {
		return result, err
	}
	if total := c.total(prices); !b.agrees(total, prices, known) {
		return checkoutResult{refusal: ErrPriceChanged, total: total}, nil
	}
	if err := c.mustAllow(ctx, t, by, len(books)); err != nil {
		return result, err
	}
	err = c.sellBooks(ctx, t, by, books, prices, &result)
	return result, err
}

func (c *Checkout) total(prices map[book.ID]money.Amount) money.Amount {
	var sum money.Amount
	for _, price := range prices {
		sum += price + c.Fee(price)
	}
	return sum
}

// mustAllow refuses more orders than a buyer may have in status Placed. It is called with the
// books locked, so that all checkouts lock in the same order.
func (c *Checkout) mustAllow(ctx context.Context, t *tx, by user.Caller, more int) error {
	limit := c.deps.OpenPurchases
	if limit == 0 {
		return nil
	}
	n, err := t.CountPurchases(ctx, by.ID)
	if err == nil && !limit.Allows(n, more) {
		err = order.ErrPurchaseLimit
	}
	return err
}

// basketBooks are the books that a basket names, or all books in the cart, and what the cart and
// lapsed offers know of prices if the buyer has agreed to no total.
func (t *tx) basketBooks(ctx context.Context, by user.Caller, b Basket) (ids []book.ID, known []KnownPrice, err error) {
	if b.Books != nil && b.Total != nil {
		return slices.Clone(b.Books), nil, nil
	}
	known, err = t.ListCartPrices(ctx, by.ID)
	switch {
	case err != nil:
		return nil, nil, err
	case b.Books != nil:
		known, err = t.addLapsed(ctx, by, b.Books, known)
		return slices.Clone(b.Books), known, err
	case len(known) == 0:
		return nil, nil, ErrNothingToBuy
	}
	for _, k := range known {
		ids = append(ids, k.Book)
	}
	return ids, known, nil
}

// sellBooks places an order for each book, at its price for the buyer, and notifies everyone concerned.
func (c *Checkout) sellBooks(
	ctx context.Context, t *tx, by user.Caller, books []book.Book, prices map[book.ID]money.Amount, result *checkoutResult,
) error {
	if err := t.BooksBought(ctx, by.ID, books); err != nil {
		return err
	}
	bought := make([]book.ID, len(books))
	for i, b := range books {
		if err := b.Buy(by.ID); err != nil {
			return err
		}
		if err := t.UpdateBook(ctx, b, book.ForSale); err != nil {
			return err
		}
		b.Price = prices[b.ID] // the stored book keeps the price that others saw
		o := order.Place(order.ID(t.IDs.Next()), b, c.rate, t.Now).SettledBy(c.deps.Settlement)
		if err := t.AddOrder(ctx, o); err != nil {
			return err
		}
		t.PublishEvent(event.OfOrder(event.OrderPlaced, o, b, t.Currency))
		t.notifySold(b, o)
		if err := t.BookLeft(ctx, b); err != nil {
			return err
		}
		bought[i] = b.ID
		result.orders = append(result.orders, o)
	}
	if err := t.RemoveFromCart(ctx, by.ID, bought...); err != nil {
		return err
	}
	var err error
	if result.users, err = t.loadParties(ctx, result.orders); err != nil {
		return err
	}
	t.mailParties(result, books)
	return nil
}

func (t *tx) notifySold(b book.Book, o order.Order) {
	t.notifyOrder(notification.BookSold, b.Seller, o)
	t.notifyOrder(notification.PurchasePlaced, b.Buyer, o)
}

// billParams are the amounts for a mail to the buyer.
func (t *tx) billParams(o order.Order) map[string]string {
	return t.orderParams(o, t.amountParams(o))
}

// amountParams are the price, the fee and their sum.
func (t *tx) amountParams(o order.Order) map[string]string {
	return map[string]string{
		message.ParamPrice: t.Currency.Format(o.Price), message.ParamFee: t.Currency.Format(o.Fee),
		message.ParamTotal: t.Currency.Format(o.Total()),
	}
}

// orderParams adds to the parameters of a mail which order and book it is about, how books change hands
// unless that is at the desk alone, and whether buyer and seller have met and pay directly.
func (t *tx) orderParams(o order.Order, params map[string]string) map[string]string {
	params[message.ParamBook], params[message.ParamOrder], params[message.ParamPicture] = o.Name, o.ID.String(), o.Book.String()
	if t.Handover.Meets() {
		params[message.ParamHandover] = t.Handover.String()
	}
	if o.Met() {
		params[message.ParamMet] = "yes"
	}
	if o.Settlement == order.Direct {
		params[message.ParamSettlement] = o.Settlement.String()
	}
	return params
}
