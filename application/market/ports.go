// Package market is the marketplace: posting, requesting, searching, buying and
// all that follows. Its types are the activities; ports.go is what they need of
// the world.
package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Clock tells the time in UTC.
type Clock interface{ Now() time.Time }

// IDs gives out positive ids, each higher than those before it.
type IDs interface{ Next() int64 }

// Store changes what the market keeps.
type Store interface {
	// Atomically runs do as one step: all that it did through the stores is kept,
	// or nothing is when it returns an error, which comes back untouched. Steps
	// behave as if one ran after the other. do may run more than once and must
	// have no other effect than on the stores.
	Atomically(ctx context.Context, do func(context.Context, Stores) error) error
}

// Stores are what one step may change. They are good within their step only.
type Stores struct {
	Shelf    ShelfStore
	Requests RequestStore
	Pairs    PairStore
	Carts    CartStore
	Sales    SaleStore
	Replies  ReplyStore
	Chores   ChoreStore
	People   PeopleStore
	Told     ToldStore
}

// ShelfStore keeps books.
type ShelfStore interface {
	// Add stores a new book.
	Add(ctx context.Context, b book.Book) error
	// Hold loads the books with these ids, in ascending order, and keeps everyone
	// else from changing them until the step ends. Unknown ids are left out.
	Hold(ctx context.Context, ids ...book.ID) ([]book.Book, error)
	// Save stores a book that was held. If its stored status is no longer was,
	// nothing changes and the answer is book.ErrNotAvailable.
	Save(ctx context.Context, b book.Book, was book.Status) error
	// OfferedBy holds all books for sale of one seller, the lowest ids first.
	OfferedBy(ctx context.Context, seller user.ID) ([]book.Book, error)
	// Stale holds at most n books for sale that were listed before then, the
	// lowest ids above after first.
	Stale(ctx context.Context, then time.Time, after book.ID, n int) ([]book.Book, error)
}

// RequestStore keeps requests.
type RequestStore interface {
	// Add stores a new request. An owner who has max open requests already gets
	// book.ErrTooManyRequests.
	Add(ctx context.Context, r book.Request, max int) error
	// Save stores the status of a request.
	Save(ctx context.Context, r book.Request) error
	// Remove deletes a request of this owner with its pairs; book.ErrRequestNotFound
	// when the owner has no such request.
	Remove(ctx context.Context, owner user.ID, id book.RequestID) error
	// LockExisting returns those of the requests that still exist, and keeps everyone
	// else from deleting them until the step ends.
	LockExisting(ctx context.Context, ids ...book.RequestID) ([]book.RequestID, error)
	// Withdraw deletes all requests of an owner with their pairs.
	Withdraw(ctx context.Context, owner user.ID) error
	// OpenOf lists the open requests of one owner, oldest first, at most
	// book.MaxOpenRequests.
	OpenOf(ctx context.Context, owner user.ID) ([]book.Request, error)
	// FilledBy lists the requests that were filled by the book.
	FilledBy(ctx context.Context, id book.ID) ([]book.Request, error)
	// Find loads one request; book.ErrRequestNotFound when there is none.
	Find(ctx context.Context, id book.RequestID) (book.Request, error)
	// Frequency looks at the newest books for sale that have the term, at most n:
	// how many there are, and the id of the oldest of them.
	Frequency(ctx context.Context, term string, n int) (count int, oldest book.ID, err error)
	// File replaces where the open request is found; nothing takes it out of the
	// index.
	File(ctx context.Context, id book.RequestID, under []book.Filing) error
}

// PairStore keeps which book matches which request, and finds those that might.
type PairStore interface {
	// Requests walks along the index of open requests, at most as far as l says,
	// and lists those that are filed under one of the keys, once for each of them,
	// and need no words that l has not; in the order of the keys' bytes, then of the
	// ids. It returns the place where it stopped, zero when nothing is left.
	Requests(ctx context.Context, l Look) ([]Filed, Place, error)
	// Books lists at most n books for sale that a clue leads to, the highest ids
	// below before first; 0 means all.
	Books(ctx context.Context, clue book.Clue, before book.ID, n int) ([]book.Book, error)
	// Guard makes sure that of a book and a request that share a key and are
	// stored at the same time at least one step sees the other. It comes before
	// what it guards. posting tells books from requests.
	Guard(ctx context.Context, posting bool, keys []string) error
	// Put records a pair and reports whether it is new. A pair that was dropped
	// before holds again, and is not new.
	Put(ctx context.Context, p book.Pair) (bool, error)
	// Drop lets no pair of the book hold any longer.
	Drop(ctx context.Context, id book.ID) error
	// Waiting lists at most n people who have the book in their cart or an open
	// request that it matches, the lowest ids above after first.
	Waiting(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error)
}

// Look says which requests to look for, and how far.
type Look struct {
	Keys    []string
	Words   book.Signature
	After   Place
	Entries int // of the index that are walked along at most
	Most    int // requests that are listed at most
}

// Place is where a walk along the keys stands: at the request under the key.
type Place struct {
	Key     string
	Request book.RequestID
}

// Filed is a request and the place where it was found.
type Filed struct {
	At      Place
	Request book.Request
}

// CartStore keeps carts.
type CartStore interface {
	// Add puts a book into a cart, once. A cart that already holds max others is
	// ErrCartFull.
	Add(ctx context.Context, owner user.ID, id book.ID, max int, now time.Time) error
	// Remove takes books out of a cart, all of them if none is named.
	Remove(ctx context.Context, owner user.ID, ids ...book.ID) error
	// Books lists what is in a cart, at most MaxCart.
	Books(ctx context.Context, owner user.ID) ([]book.ID, error)
}

// SaleStore keeps orders and the ledger.
type SaleStore interface {
	// Add stores a new order. A second live order of one book is
	// book.ErrNotAvailable.
	Add(ctx context.Context, o order.Order) error
	// Hold loads the live order of a book and keeps everyone else from changing
	// it until the step ends; order.ErrNotFound when there is none.
	Hold(ctx context.Context, id book.ID) (order.Order, error)
	// Save stores an order that was held, with what it adds to the ledger. If its
	// stored status is no longer was, nothing changes and the answer is
	// order.ErrTransition.
	Save(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error
	// Placed loads orders by id, in ascending order.
	Placed(ctx context.Context, ids []order.ID) ([]order.Order, error)
}

// Reply is what the first answer to something that named a key can be told from.
type Reply struct {
	BodyHash [32]byte
	Refusal  string    // its code; empty: done
	Made     []int64   // the ids of what was made: orders, a book or a request
	Books    []book.ID // those that a checkout did not get, or that a request found
	At       time.Time // when the key was claimed; Keep leaves it as it is
}

// ReplyStore keeps replies for ReplyLife.
type ReplyStore interface {
	// Claim takes the key for this step, or returns the reply that was kept under
	// it after then. A step that claims the key at the same time waits for this
	// one to end. Replies from before then are forgotten.
	Claim(ctx context.Context, owner user.ID, key string, then, now time.Time) (*Reply, error)
	// Keep stores the reply under a claimed key.
	Keep(ctx context.Context, owner user.ID, key string, r Reply) error
}

// Chore is the rest of some work that was too long for one step. It commits
// with the part that was done, so that nothing is lost.
type Chore struct {
	ID      int64 // a higher one came later
	Kind    ChoreKind
	Subject int64  // a book's or a request's id
	Key     string // where the work stands, see ChoreKind
	After   int64
}

// ChoreKind says what is left to do. The numbers are stored.
type ChoreKind int

// The chores.
const (
	MatchBook    ChoreKind = iota + 1 // Subject is a book: go on after the Place of Key and After
	MatchRequest                      // Subject is a request: go on with the clue for reason Key, with books below After
	TellGone                          // Subject is a book: go on with the people above After
)

// ChoreStore keeps chores until they are done.
type ChoreStore interface {
	Add(ctx context.Context, c Chore) error
	// Take removes the oldest chore that no other step is at; false when there is
	// none.
	Take(ctx context.Context) (Chore, bool, error)
}

// Person is what the market knows of somebody.
type Person struct {
	ID      user.ID
	Email   user.Email // empty: a deleted account, to which nothing is sent
	Lang    user.Lang
	Profile user.Profile // empty: none
}

// PeopleStore knows the accounts of the identity core.
type PeopleStore interface {
	// Find loads people by id; unknown ones are left out.
	Find(ctx context.Context, ids ...user.ID) (map[user.ID]Person, error)
	// FindForShare is Find, and keeps everyone else from changing or deleting these
	// accounts until the step ends. Steps that share an account do not wait for each
	// other.
	FindForShare(ctx context.Context, ids ...user.ID) (map[user.ID]Person, error)
}

// ToldStore takes down what people are to be told and what is to be accounted
// for. It commits with what it tells of.
type ToldStore interface {
	// Notify stores notifications and gives each the next number of its person.
	// Who was never told anything is greeted first. Of each person it keeps the
	// newest MaxNotices at least, and at most a tenth more; older ones are dropped,
	// read or not.
	Notify(ctx context.Context, all []notification.Notification) error
	// Greet greets a person who was never told anything; else it does nothing.
	Greet(ctx context.Context, id user.ID, now time.Time) error
	// Forget deletes a person's notifications, and none is ever stored again.
	Forget(ctx context.Context, id user.ID) error
	// Mail puts messages into the outbox.
	Mail(ctx context.Context, all []message.Message) error
	// Audit records acts of admins and owners.
	Audit(ctx context.Context, all []audit.Entry) error
}

// Criteria are a Filter in the form that stores compare.
type Criteria struct {
	ISBN       book.ISBN      // empty: any
	University string         // folded; empty: any
	Course     string         // folded; empty: any
	Condition  book.Condition // 0: any
	MinPrice   *money.Cents   // nil: any
	MaxPrice   *money.Cents   // nil: any
	NotBy      user.ID        // leaves out what this person posted; 0: nobody
}

// BookReader reads books as they are shown. A view carries its standing order
// where it has one; the activities decide who may see that.
type BookReader interface {
	// Listed lists at most n books for sale after a position. The key of a
	// position is the price where sort orders by it, else 0.
	Listed(ctx context.Context, c Criteria, sort Sort, after Position, n int) ([]BookView, error)
	// Skipped lists at most n books for sale, newest first, after the first skip.
	Skipped(ctx context.Context, n, skip int) ([]BookView, error)
	// Views loads books by id in any status, in no order; unknown ids are left out.
	Views(ctx context.Context, ids ...book.ID) ([]BookView, error)
}

// ShelfReader reads the lists of books that belong to somebody, newest first,
// at most n with ids below before; 0 means all.
type ShelfReader interface {
	PostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]BookView, error)
	// InCart reads a whole cart, the last added first. Available is the
	// activity's to say.
	InCart(ctx context.Context, owner user.ID) ([]CartItem, error)
	WithStatus(ctx context.Context, s book.Status, before book.ID, n int) ([]BookView, error)
}

// WantedReader reads requests and what was found for them, newest first, at
// most n with ids below before; 0 means all.
type WantedReader interface {
	RequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error)
	// MatchesOf lists the pairs that hold, whose request is open and whose book is for
	// sale, by their own ids.
	MatchesOf(ctx context.Context, owner user.ID, before int64, n int) ([]Match, error)
}

// SaleReader reads orders with both sides' particulars, newest first, at most n
// with ids below before; 0 means all.
type SaleReader interface {
	BoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]BookView, error)
	SoldBy(ctx context.Context, seller user.ID, before order.ID, n int) ([]BookView, error)
	// OrdersOf lists the orders with somebody on one side, in every status.
	OrdersOf(ctx context.Context, of user.ID, side order.Side, before order.ID, n int) ([]OrderView, error)
	// Orders lists orders in one status, or in any if it is 0, whose book's name,
	// or one of whose people's name or address, contains the text in any case.
	Orders(ctx context.Context, s order.Status, text string, before order.ID, n int) ([]OrderView, error)
}

// NoticeReader reads and ticks off notifications.
type NoticeReader interface {
	// Newest lists at most n below before, newest first; 0 means all.
	Newest(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error)
	// Following lists at most n above after, oldest first.
	Following(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error)
	Unread(ctx context.Context, of user.ID) (int, error)
}

// NoticeMarker ticks off notifications.
type NoticeMarker interface {
	// MarkRead marks those with these numbers, all if none is named; the others
	// stay, and so does the time of those already read.
	MarkRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error
}

// Index finds what a search might mean among the books for sale, newest first,
// at most n.
type Index interface {
	// Exact finds books by one of the keys, at most n by each; an empty key finds
	// nothing.
	Exact(ctx context.Context, course, title string, c Criteria, n int) ([]book.Candidate, error)
	// Containing finds books whose terms hold at least one word of every group.
	Containing(ctx context.Context, groups [][]string, c Criteria, n int) ([]book.Candidate, error)
}

// Vocabulary knows the terms of all books ever listed.
type Vocabulary interface {
	// Known returns those of the words that are terms.
	Known(ctx context.Context, words []string) ([]string, error)
	// Starting lists at most n terms that begin with prefix, the shortest first,
	// then in order of the bytes. It may look at the first few thousand only.
	Starting(ctx context.Context, prefix string, n int) ([]string, error)
	// Resembling lists at most n terms that have one of the spellings, those of
	// book.Spellings, in order of the bytes.
	Resembling(ctx context.Context, spellings []string, n int) ([]string, error)
}

// Tally counts for the statistics.
type Tally interface {
	OfUser(ctx context.Context, id user.ID) (UserStatistics, error)
	// OfMarket counts all; the daily series has the days from first to today.
	OfMarket(ctx context.Context, first, today time.Time) (Dashboard, error)
}

// LedgerReader reads what the check of the ledger compares.
type LedgerReader interface {
	// Accounts walks all orders in ascending order, each with the sum of its
	// entries and the status of its book.
	Accounts(ctx context.Context, visit func(Account) error) error
	// Strays lists entries and books that no order accounts for, movements that
	// do not sum to 0, and what the dashboard would show that is not so.
	Strays(ctx context.Context) ([]Difference, error)
}
