package market

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Checkout buys books: of any number of buyers of one book exactly one gets it.
type Checkout struct {
	kit  Kit
	rate order.FeeRate
}

// NewCheckout makes a checkout that adds a fee to each price.
func NewCheckout(k Kit, rate order.FeeRate) *Checkout { return &Checkout{k, rate} }

// Fee is what comes on top of a price.
func (c *Checkout) Fee(price money.Cents) money.Cents { return c.rate.Of(price) }

// Do buys a basket in one step, all of it or nothing unless it allows a part.
// Lost books are an *UnavailableError; one's own are book.ErrOwnBook; another total
// than was agreed to is ErrPriceChanged. With a key the answer, these refusals
// included, is kept for ReplyLife and given again to the same body, with Replayed set;
// another body is ErrKeyReused.
func (c *Checkout) Do(ctx context.Context, by user.Caller, b Basket) (Receipt, error) {
	if err := by.MustBeStudent(); err != nil {
		return Receipt{}, err
	}
	b, err := b.check()
	if err != nil {
		return Receipt{}, err
	}
	var s sale
	err = c.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		var err error
		s, err = c.once(ctx, a, by, b)
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return s.receipt()
}

// once sells, or repeats what it answered to the same key.
func (c *Checkout) once(ctx context.Context, a *act, by user.Caller, b Basket) (sale, error) {
	if b.Key == "" {
		return c.sell(ctx, a, by, b)
	}
	kept, err := a.claim(ctx, by.ID, Once{b.Key, b.BodyHash})
	if err != nil {
		return sale{}, err
	}
	if kept != nil {
		return a.repeat(ctx, *kept)
	}
	s, err := c.sell(ctx, a, by, b)
	if err != nil {
		return sale{}, err
	}
	return s, a.Replies.Keep(ctx, by.ID, b.Key, s.reply(b))
}

// sell decides under the locks of all books, in ascending order, and only then
// changes anything: a refusal commits, so that it can be kept.
func (c *Checkout) sell(ctx context.Context, a *act, by user.Caller, b Basket) (sale, error) {
	wanted, err := a.wanted(ctx, by, b)
	if err != nil {
		return sale{}, err
	}
	books, err := a.Shelf.Hold(ctx, wanted...)
	if err != nil {
		return sale{}, err
	}
	if slices.ContainsFunc(books, func(b book.Book) bool { return b.Seller == by.ID }) {
		return sale{refusal: book.ErrOwnBook}, nil
	}
	books = slices.DeleteFunc(books, func(b book.Book) bool { return b.Status != book.ForSale })
	lost := slices.DeleteFunc(wanted, func(id book.ID) bool {
		return slices.ContainsFunc(books, func(b book.Book) bool { return b.ID == id })
	})
	s := sale{unavailable: lost}
	if len(books) == 0 || len(lost) > 0 && !b.AllowPartial {
		s.refusal = book.ErrNotAvailable
		return s, nil
	}
	if b.Total != nil && *b.Total != c.total(books) {
		return sale{refusal: ErrPriceChanged}, nil
	}
	err = c.hand(ctx, a, by, books, &s)
	return s, err
}

func (c *Checkout) total(books []book.Book) money.Cents {
	var sum money.Cents
	for _, b := range books {
		sum += b.Price + c.Fee(b.Price)
	}
	return sum
}

// wanted is what a basket names, or all that is in the cart.
func (a *act) wanted(ctx context.Context, by user.Caller, b Basket) ([]book.ID, error) {
	if b.Books != nil {
		return slices.Clone(b.Books), nil
	}
	ids, err := a.Carts.Books(ctx, by.ID)
	if err == nil && len(ids) == 0 {
		err = ErrNothingToBuy
	}
	return ids, err
}

// hand gives the books to their buyer and tells everyone whom it concerns.
func (c *Checkout) hand(ctx context.Context, a *act, by user.Caller, books []book.Book, s *sale) error {
	if err := a.fill(ctx, by.ID, books); err != nil {
		return err
	}
	bought := make([]book.ID, len(books))
	for i, b := range books {
		if err := b.Buy(by.ID); err != nil {
			return err
		}
		if err := a.Shelf.Save(ctx, b, book.ForSale); err != nil {
			return err
		}
		o := order.Place(order.ID(a.ids.Next()), b, c.rate, a.now)
		if err := a.Sales.Add(ctx, o); err != nil {
			return err
		}
		a.tellSold(b, o)
		if err := a.tellGone(ctx, b, 0); err != nil {
			return err
		}
		bought[i] = b.ID
		s.orders = append(s.orders, o)
	}
	if err := a.Carts.Remove(ctx, by.ID, bought...); err != nil {
		return err
	}
	var err error
	s.people, err = a.sides(ctx, s.orders)
	return err
}

// fill closes the buyer's own requests that the books match.
func (a *act) fill(ctx context.Context, buyer user.ID, books []book.Book) error {
	open, err := a.Requests.OpenOf(ctx, buyer)
	if err != nil || len(open) == 0 {
		return err
	}
	for _, b := range books {
		m := book.NewMatcher(b)
		for i := range open {
			if _, ok := m.Match(open[i]); !ok {
				continue
			}
			open[i].Fill(b.ID)
			err := errors.Join(a.Requests.Save(ctx, open[i]), a.Requests.File(ctx, open[i].ID, nil))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *act) tellSold(b book.Book, o order.Order) {
	a.notify(notification.BookSold, b.Seller, b)
	a.write(message.BookSold, b.Seller, map[string]string{
		message.ParamBook: b.Name, message.ParamCourse: b.Course, message.ParamPrice: o.Price.String(),
	})
	a.notify(notification.PurchasePlaced, b.Buyer, b)
	a.write(message.PurchasePlaced, b.Buyer, bill(o))
}

// bill is what a buyer is told of the money.
func bill(o order.Order) map[string]string {
	return map[string]string{
		message.ParamBook: o.Name, message.ParamPrice: o.Price.String(),
		message.ParamFee: o.Fee.String(), message.ParamTotal: o.Total().String(),
	}
}
