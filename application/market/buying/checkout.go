package buying

import (
	"context"
	"slices"
	"strconv"

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

// basketBooks are the books that a basket names, or all books in the cart, and what the cart
// knows of prices if the buyer has agreed to no total.
func (t *tx) basketBooks(ctx context.Context, by user.Caller, b Basket) (ids []book.ID, known []KnownPrice, err error) {
	if b.Books != nil && b.Total != nil {
		return slices.Clone(b.Books), nil, nil
	}
	known, err = t.ListCartPrices(ctx, by.ID)
	switch {
	case err != nil:
		return nil, nil, err
	case b.Books != nil:
		return slices.Clone(b.Books), known, nil
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

// mailParties sends the buyer a mail for each order of a checkout, and each seller one for all of
// theirs. books are those of the orders.
func (t *tx) mailParties(result *checkoutResult, books []book.Book) {
	for i, o := range result.orders {
		bill := t.billParams(o)
		if o.Settlement == order.Direct {
			bill[message.ParamFrom] = result.users[o.Seller].Profile.FirstName
		}
		t.Mail(message.PurchasePlaced, o.Buyer, bill)
		t.mailSeller(result, books, i)
	}
}

// mailSeller tells the seller of one order of a checkout of all their orders, if it is their first.
func (t *tx) mailSeller(result *checkoutResult, books []book.Book, i int) {
	o, first, n, price := result.orders[i], i, 0, money.Amount(0)
	for j, other := range result.orders {
		if other.Seller == o.Seller {
			first, n, price = min(first, j), n+1, price+other.Price
		}
	}
	if first < i {
		return
	}
	params := t.orderParams(o, map[string]string{message.ParamCourse: books[i].Course, message.ParamPrice: t.Currency.Format(price)})
	if n > 1 {
		delete(params, message.ParamOrder) // the mail links to all sales
		delete(params, message.ParamPicture)
		params[message.ParamMore] = strconv.Itoa(n - 1)
	}
	if o.Settlement == order.Direct {
		params[message.ParamFrom] = result.users[o.Buyer].Profile.FirstName
	}
	t.Mail(message.BookSold, o.Seller, params)
}

// billParams are the amounts for a mail to the buyer.
func (t *tx) billParams(o order.Order) map[string]string {
	return t.orderParams(o, map[string]string{
		message.ParamPrice: t.Currency.Format(o.Price), message.ParamFee: t.Currency.Format(o.Fee),
		message.ParamTotal: t.Currency.Format(o.Total()),
	})
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
