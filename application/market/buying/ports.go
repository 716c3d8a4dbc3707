package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// Store is what one transaction may change of what people buy and how it reaches them.
type Store interface {
	// EndTrades ends the live offers of a user, and the open proposals to meet of orders in status Placed with
	// the user on either side.
	EndTrades(ctx context.Context, id user.ID) error
	// EraseUser deletes the words, ratings, proposals, offers and the cart of a deleted user, and ends the
	// proposals of others as EndTrades does. An admin completes or cancels the live orders.
	EraseUser(ctx context.Context, id user.ID) error

	// AddToCart adds a book to a cart, with the price that its owner now knows. A book that is
	// in it already gets only that price. If the cart has max other books, the error is
	// ErrCartFull.
	AddToCart(ctx context.Context, owner user.ID, b book.Book, max int, now time.Time) error
	// LowerCartPrices lowers the price of a book in at most n carts whose owners have ids
	// above after, and returns these owners in ascending order. It leaves out the carts with
	// a price that is lower by less than a twentieth, so that a seller cannot announce a drop again and again.
	LowerCartPrices(ctx context.Context, b book.Book, after user.ID, n int) ([]user.ID, error)
	// RemoveFromCart removes books from a cart, all of them if ids is empty.
	RemoveFromCart(ctx context.Context, owner user.ID, ids ...book.ID) error
	// ListCartPrices lists the books in a cart in ascending order, at most MaxCart.
	ListCartPrices(ctx context.Context, owner user.ID) ([]KnownPrice, error)
	// AddOrder stores a new order. If the book has a live order, the error is
	// book.ErrNotAvailable.
	AddOrder(ctx context.Context, o order.Order) error
	// LockOrder loads and locks the live order of a book; order.ErrNotFound if there is
	// none.
	LockOrder(ctx context.Context, id book.ID) (order.Order, error)
	// FindLiveOrder is LockOrder without the lock.
	FindLiveOrder(ctx context.Context, id book.ID) (order.Order, error)
	// UpdateOrder stores a locked order and appends entries to the ledger. If the stored
	// status is no longer was, nothing changes and the error is order.ErrTransition.
	UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error
	// ListOpenOrdersOf lists the orders with a user on either side that are neither delivered nor
	// cancelled, in ascending order of their books.
	ListOpenOrdersOf(ctx context.Context, id user.ID) ([]order.Order, error)
	// HasOpenOrders reports whether a user has an order, on either side, that is neither
	// delivered nor cancelled.
	HasOpenOrders(ctx context.Context, id user.ID) (bool, error)
	// CountWithdrawals counts the orders that a buyer has cancelled after a time.
	// Transactions that count those of the same buyer run one after the other.
	CountWithdrawals(ctx context.Context, buyer user.ID, after time.Time) (int, error)
	// CountPurchases counts the orders of a buyer. Transactions that count those of the same
	// buyer run one after the other.
	CountPurchases(ctx context.Context, buyer user.ID) (order.Purchases, error)
	// ListWaitingOrders lists at most n orders that wait to be handed over, in the order of
	// WaitingPosition.
	ListWaitingOrders(ctx context.Context, w WaitingOrders, n int) ([]WaitingOrder, error)
	// SaveRating stores a rating in the place of one of the same order and side.
	SaveRating(ctx context.Context, r rating.Rating) error

	// SaveDesk stores the desk of a university and replaces an earlier one. If limit other
	// universities have desks, the error is desk.ErrTooMany.
	SaveDesk(ctx context.Context, d desk.Desk, limit int) error
	// DeleteDesk deletes the desk of a university; desk.ErrNotFound if it has none.
	DeleteDesk(ctx context.Context, university string) error

	// Proposals to meet. Whoever changes those of an order has locked the order and the accounts of both sides.

	// FindMeeting loads a proposal; meeting.ErrNotFound if there is none.
	FindMeeting(ctx context.Context, id meeting.ID) (meeting.Proposal, error)
	// ListMeetings lists the proposals of an order, at most meeting.MaxProposals of each side, in ascending order.
	ListMeetings(ctx context.Context, of order.ID) (meeting.Proposals, error)
	// SaveMeeting stores a proposal, new or changed. An order has at most one that is open.
	SaveMeeting(ctx context.Context, p meeting.Proposal) error
	// SavePlace stores a place and replaces one with the same ID. If limit other places are at
	// the university, the error is meeting.ErrTooManyPlaces.
	SavePlace(ctx context.Context, p meeting.Place, limit int) error
	// FindPlace loads a place; meeting.ErrPlaceNotFound if there is none.
	FindPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error)
	// LockPlace is FindPlace that keeps others from changing or deleting the place until the end
	// of the transaction.
	LockPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error)
	// DeletePlace deletes a place; meeting.ErrPlaceNotFound if there is none.
	DeletePlace(ctx context.Context, id meeting.PlaceID) error

	// The wrong codes of orders, at most meeting.TriesPerOrder of each. Whoever adds one has
	// locked the order.

	ListTries(ctx context.Context, of order.ID) (meeting.Tries, error)
	AddTry(ctx context.Context, of order.ID, at time.Time) error
	// DeleteTries deletes those of an order.
	DeleteTries(ctx context.Context, of order.ID) error

	// Offers. Whoever adds or changes one has locked its book.

	AddOffer(ctx context.Context, o offer.Offer) error
	// FindOffer loads an offer; offer.ErrNotFound if there is none.
	FindOffer(ctx context.Context, id offer.ID) (offer.Offer, error)
	// UpdateOffer stores the state, price and times of an offer.
	UpdateOffer(ctx context.Context, o offer.Offer) error
	// ListOffersBy lists the offers of a buyer for a book, at most offer.MaxPerBuyer.
	ListOffersBy(ctx context.Context, buyer user.ID, of book.ID) ([]offer.Offer, error)
	// ListLiveOffers lists the offers for a book that are stored as live, at most offer.MaxPerBook.
	ListLiveOffers(ctx context.Context, of book.ID) ([]offer.Offer, error)
	// EndOffers ends these offers.
	EndOffers(ctx context.Context, ids ...offer.ID) error
	agreedPrices
	// ListLapsedPrices returns the prices of those offers of a buyer for the books that were accepted and
	// valid until a time, and no longer than offer.Validity before it: of each book the last one, and
	// none of an offer that was withdrawn.
	ListLapsedPrices(ctx context.Context, buyer user.ID, now time.Time, of ...book.ID) (map[book.ID]money.Amount, error)
	// LowerCartPrice is the price that the owner of a cart now knows of a book, if it is in the cart.
	LowerCartPrice(ctx context.Context, owner user.ID, of book.ID, price money.Amount) error
}

// agreedPrices is read within a transaction and outside.
type agreedPrices interface {
	// ListAgreedPrices returns what a buyer pays for those of the books for which an offer is accepted
	// and valid at a time.
	ListAgreedPrices(ctx context.Context, buyer user.ID, now time.Time, of ...book.ID) (map[book.ID]money.Amount, error)
}

// Reader reads what people buy.
type Reader interface {
	market.Reader
	// ListCartItems reads a whole cart, the last added item first. It leaves Available
	// false.
	ListCartItems(ctx context.Context, owner user.ID) ([]CartItem, error)
	CountCartItems(ctx context.Context, owner user.ID) (int, error)

	// Orders with the contact details of buyer and seller, newest first: at most n with ids
	// below before, where 0 means no bound.

	// ListBooksSoldBy is ListBooksBoughtBy for the other side.
	ListBooksSoldBy(ctx context.Context, seller user.ID, before order.ID, n int) ([]market.BookView, error)
	// ListOrdersOf lists the orders with a user on a side, in a status, or in every status
	// if s is 0.
	ListOrdersOf(ctx context.Context, of user.ID, side order.Side, s order.Status, before order.ID, n int) ([]market.OrderView, error)
	// FindOrderViews loads orders by id, in ascending order. Unknown ids are left out.
	FindOrderViews(ctx context.Context, ids ...order.ID) ([]market.OrderView, error)
	// ListOrderQueue lists the orders at a stage with ids above after, oldest first. campus
	// is the text.Key of their university, here and below; "" selects all.
	ListOrderQueue(ctx context.Context, s Stage, campus string, after order.ID, n int) ([]market.OrderView, error)
	// CountOrders counts those of ListOrderQueue, at most max.
	CountOrders(ctx context.Context, s Stage, campus string, max int) (int, error)
	ListOrders(ctx context.Context, f OrderSelection, before order.ID, n int) ([]market.OrderView, error)
	// WalkOrders calls visit for every order, in ascending order. It stops at the first
	// error and returns it.
	WalkOrders(ctx context.Context, visit func(OrderAccount) error) error
	// FindInconsistencies lists entries and sold books without an order, and movements that
	// do not sum to 0.
	FindInconsistencies(ctx context.Context) ([]Inconsistency, error)
	// FindDesks loads the desks of universities, in no particular order. It leaves out
	// those without one.
	FindDesks(ctx context.Context, universities ...string) ([]desk.Desk, error)
	// ListDesks lists at most n desks in the order of their keys.
	ListDesks(ctx context.Context, n int) ([]desk.Desk, error)
	// ListMeetingsBy lists at most n proposals of a user with ids below before, newest first; 0
	// means no bound.
	ListMeetingsBy(ctx context.Context, by user.ID, before meeting.ID, n int) ([]meeting.Proposal, error)
	// ListPlacesAt lists the places of universities, in no particular order.
	ListPlacesAt(ctx context.Context, universities ...string) ([]meeting.Place, error)
	// ListMeetingPlaces lists at most n places with ids below before, newest first, of one
	// university, or of all if it is empty; 0 means no bound.
	ListMeetingPlaces(ctx context.Context, university string, before meeting.PlaceID, n int) ([]meeting.Place, error)
	// ListRatings lists the ratings of an order, at most one of each side.
	ListRatings(ctx context.Context, id order.ID) ([]rating.Rating, error)
	// CountRatings counts the people who have rated a user, among so many of the newest orders with a rating.
	CountRatings(ctx context.Context, of user.ID, newest int) (rating.Count, error)
	// ListRatingsBy lists at most n ratings by a user of orders with ids below before, newest
	// order first; 0 means no bound.
	ListRatingsBy(ctx context.Context, by user.ID, before order.ID, n int) ([]rating.Rating, error)
	// ListOffers lists at most n offers with ids below before, newest first; 0 means no bound.
	ListOffers(ctx context.Context, s OfferSelection, before offer.ID, n int) ([]OfferView, error)
	agreedPrices
	// HasUpheldReport reports whether an admin has found something wrong in a report about a
	// person after a time.
	HasUpheldReport(ctx context.Context, about user.ID, after time.Time) (bool, error)
}
