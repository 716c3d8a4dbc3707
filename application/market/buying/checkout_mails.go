package buying

import (
	"strconv"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
)

// mailParties sends the buyer of a checkout one mail for all orders, and each seller one for all of
// theirs. books are those of the orders.
func (t *tx) mailParties(result *checkoutResult, books []book.Book) {
	t.mailBuyer(result, books)
	for i := range result.orders {
		t.mailSeller(result, books, i)
	}
}

// mailBuyer sends the buyer the bill of a checkout.
func (t *tx) mailBuyer(result *checkoutResult, books []book.Book) {
	first, sum := result.orders[0], order.Order{}
	items := make([]message.Item, len(result.orders))
	for i, o := range result.orders {
		sum.Price, sum.Fee = sum.Price+o.Price, sum.Fee+o.Fee
		items[i] = message.Item{Title: o.Name, Course: books[i].Course, Price: t.Currency.Format(o.Price)}
	}
	params := t.orderParams(first, t.amountParams(sum))
	switch {
	case len(items) > 1:
		delete(params, message.ParamOrder) // the mail links to all purchases
		delete(params, message.ParamPicture)
		params[message.ParamMore] = strconv.Itoa(len(items) - 1)
		params[message.ParamItems] = message.JoinItems(items[:min(len(items), message.DigestItems)])
	case first.Settlement == order.Direct:
		params[message.ParamFrom] = result.users[first.Seller].Profile.FirstName
	}
	t.Mail(message.PurchasePlaced, first.Buyer, params)
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
