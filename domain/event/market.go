package event

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
)

// The types of events about the market.
const (
	BookPosted     Type = "book.posted"
	BookUnlisted   Type = "book.unlisted"
	RequestMatched Type = "request.matched"
	OrderPlaced    Type = "order.placed"
	OrderVerified  Type = "order.verified"
	OrderDelivered Type = "order.delivered"
	OrderCancelled Type = "order.cancelled"
	OfferMade      Type = "offer.made"
	OfferAccepted  Type = "offer.accepted"
)

var marketTypes = []Type{
	BookPosted, BookUnlisted, RequestMatched, OrderPlaced, OrderVerified, OrderDelivered, OrderCancelled, OfferMade, OfferAccepted,
}

// amount is a sum of money in the minor unit of the currency, whose code is that of ISO 4217.
func amount(a money.Amount, in money.Currency) Data {
	return Data{"amount": int64(a), "currency": in.Code()}
}

// Listing says why a book is for sale. The texts are sent over the wire.
type Listing string

// The reasons for which a book goes on sale.
const (
	Posted   Listing = "posted"
	Relisted Listing = "relisted"
	Returned Listing = "order_cancelled"
)

// PostBook reports that a book is for sale.
func PostBook(b book.Book, in money.Currency, why Listing) Event {
	return Event{Type: BookPosted, Data: about(b).with(Data{
		"edition": b.Edition, "course": b.Course, "condition": b.Condition.String(), "university": b.University,
		"price": amount(b.Price, in), "reason": string(why),
	})}
}

// Unlisting says why a book is no longer for sale. The texts are sent over the wire.
type Unlisting string

// The reasons for which a book goes off sale without being sold.
const (
	BySeller      Unlisting = "seller"
	ByAdmin       Unlisting = "admin"
	Expired       Unlisting = "expired"
	SellerDeleted Unlisting = "seller_deleted"
	// SellerUnavailable: the account is suspended, or will be deleted at its owner's request.
	SellerUnavailable Unlisting = "seller_unavailable"
)

// UnlistBook reports that a book is no longer for sale, although nobody has bought it.
func UnlistBook(b book.Book, why Unlisting) Event {
	return Event{Type: BookUnlisted, Data: about(b).with(Data{"reason": string(why)})}
}

// about identifies a book.
func about(b book.Book) Data {
	var isbn any // null without one
	if b.ISBN != "" {
		isbn = string(b.ISBN)
	}
	return Data{"bookId": b.ID.String(), "isbn": isbn, "title": b.Name, "sellerId": b.Seller.String()}
}

// MatchRequest reports that a book for sale matches a request.
func MatchRequest(m book.Match) Event {
	return Event{Type: RequestMatched, Data: Data{
		"requestId": m.Request.String(), "userId": m.Owner.String(), "bookId": m.Book.String(), "reason": string(m.Reason),
	}}
}

// OfOrder makes the event of this type about the sale of a book.
func OfOrder(t Type, o order.Order, b book.Book, in money.Currency) Event {
	return Event{Type: t, Data: about(b).with(Data{
		"orderId": o.ID.String(), "buyerId": o.Buyer.String(), "sellerId": o.Seller.String(), "title": o.Name,
		"price": amount(o.Price, in), "fee": amount(o.Fee, in), "total": amount(o.Total(), in),
	})}
}

// OfOffer makes the event of this type about an offer for a book.
func OfOffer(t Type, o offer.Offer, b book.Book, in money.Currency) Event {
	return Event{Type: t, Data: about(b).with(Data{
		"offerId": o.ID.String(), "buyerId": o.Buyer.String(), "price": amount(o.Price, in), "listPrice": amount(b.Price, in),
	})}
}

// CancelOrder reports that a sale was cancelled, by whom, and whether the buyer had been
// charged and is refunded.
func CancelOrder(o order.Order, b book.Book, in money.Currency, refunded bool) Event {
	e := OfOrder(OrderCancelled, o, b, in)
	e.Data["refunded"] = refunded
	e.Data["cancelledBy"] = "admin"
	switch o.CancelledBy {
	case o.Buyer:
		e.Data["cancelledBy"] = "buyer"
	case o.Seller:
		e.Data["cancelledBy"] = "seller"
	case order.System:
		e.Data["cancelledBy"] = "system"
	}
	return e
}
