package market

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

var errPending = errors.New("not written yet")

// Shelf is where sellers manage what they offer.
type Shelf struct{}

func NewShelf(k Kit, read BookReader, lists ShelfReader) *Shelf { return &Shelf{} }

func (s *Shelf) Post(ctx context.Context, by user.Caller, d book.Draft) (BookView, error) {
	return BookView{}, errPending
}
func (s *Shelf) Update(ctx context.Context, by user.Caller, id book.ID, p book.Patch) (BookView, error) {
	return BookView{}, errPending
}
func (s *Shelf) Delete(ctx context.Context, by user.Caller, id book.ID) (BookView, error) {
	return BookView{}, errPending
}
func (s *Shelf) Reactivate(ctx context.Context, by user.Caller, id book.ID) (BookView, error) {
	return BookView{}, errPending
}
func (s *Shelf) Mine(ctx context.Context, by user.Caller, p Page) ([]BookView, Cursor, error) {
	return nil, "", errPending
}

// Catalogue is what everybody may look through.
type Catalogue struct{}

func NewCatalogue(books BookReader, index Index, words Vocabulary) *Catalogue { return &Catalogue{} }

func (c *Catalogue) List(ctx context.Context, by user.Caller, f Filter, p Page) ([]BookView, Cursor, error) {
	return nil, "", errPending
}
func (c *Catalogue) Skip(ctx context.Context, limit, skip int) ([]BookView, error) {
	return nil, errPending
}
func (c *Catalogue) Search(ctx context.Context, by user.Caller, text string, f Filter, p Page) ([]BookView, Cursor, error) {
	return nil, "", errPending
}
func (c *Catalogue) Get(ctx context.Context, by user.Caller, id book.ID) (BookView, error) {
	return BookView{}, errPending
}

// Wanted is where students say what they look for.
type Wanted struct{}

func NewWanted(k Kit, read WantedReader, books BookReader) *Wanted { return &Wanted{} }

func (w *Wanted) Request(ctx context.Context, by user.Caller, want book.Want) (book.Request, []Match, error) {
	return book.Request{}, nil, errPending
}
func (w *Wanted) Mine(ctx context.Context, by user.Caller, p Page) ([]book.Request, Cursor, error) {
	return nil, "", errPending
}
func (w *Wanted) Delete(ctx context.Context, by user.Caller, id book.RequestID) error {
	return errPending
}
func (w *Wanted) Matches(ctx context.Context, by user.Caller, p Page) ([]Match, Cursor, error) {
	return nil, "", errPending
}

// Carts hold what somebody thinks of buying; they reserve nothing.
type Carts struct{}

func NewCarts(k Kit, lists ShelfReader) *Carts { return &Carts{} }

const MaxCart = 100

var ErrCartFull = fault.New(fault.Conflict, "cart_full", "A cart holds at most 100 books.")

func (c *Carts) Add(ctx context.Context, by user.Caller, id book.ID) error    { return errPending }
func (c *Carts) Remove(ctx context.Context, by user.Caller, id book.ID) error { return errPending }
func (c *Carts) Clear(ctx context.Context, by user.Caller) error              { return errPending }
func (c *Carts) Items(ctx context.Context, by user.Caller) ([]CartItem, error) {
	return nil, errPending
}

// Basket is what somebody wants to buy at once.
type Basket struct {
	Books        []book.ID // nil: all that is in the cart
	AllowPartial bool
	Key          string // Idempotency-Key, 1 to 255 characters; empty: none
	BodyHash     [32]byte
}

// Unavailable is the refusal of a checkout that lost books; errors.As finds it,
// and errors.Is finds book.ErrNotAvailable.
type Unavailable struct {
	Books    []book.ID
	Replayed bool
}

func (u *Unavailable) Error() string { return book.ErrNotAvailable.Error() }
func (u *Unavailable) Unwrap() error { return book.ErrNotAvailable }

var (
	ErrNothingToBuy = fault.New(fault.Invalid, "nothing_to_buy", "There is nothing to buy.")
	ErrTooManyBooks = fault.New(fault.Invalid, "too_many_books", "At most 100 books can be bought at once.")
	ErrKey          = fault.New(fault.Invalid, "idempotency_key_invalid", "An Idempotency-Key must have 1 to 255 characters.")
	ErrKeyReused    = fault.New(fault.Conflict, "idempotency_mismatch", "This Idempotency-Key was used with another body.")
)

// Checkout buys.
type Checkout struct{}

func NewCheckout(k Kit, rate order.FeeRate) *Checkout { return &Checkout{} }

func (c *Checkout) Do(ctx context.Context, by user.Caller, b Basket) (Receipt, error) {
	return Receipt{}, errPending
}

// Orders are sales on their way.
type Orders struct{}

func NewOrders(k Kit, read SaleReader, books BookReader) *Orders { return &Orders{} }

// OrderFilter narrows the list of transactions.
type OrderFilter struct {
	Status *order.Status // nil: any
	Search string        // part of a book's name, a person's name or address; empty: any
}

func (o *Orders) Purchased(ctx context.Context, by user.Caller, p Page) ([]BookView, Cursor, error) {
	return nil, "", errPending
}
func (o *Orders) Sold(ctx context.Context, by user.Caller, p Page) ([]BookView, Cursor, error) {
	return nil, "", errPending
}
func (o *Orders) Confirm(ctx context.Context, by user.Caller, id book.ID) (OrderView, error) {
	return OrderView{}, errPending
}
func (o *Orders) SetPaid(ctx context.Context, by user.Caller, id book.ID) (OrderView, error) {
	return OrderView{}, errPending
}
func (o *Orders) Cancel(ctx context.Context, by user.Caller, id book.ID, reason string) (BookView, error) {
	return BookView{}, errPending
}
func (o *Orders) Transactions(ctx context.Context, by user.Caller, f OrderFilter, p Page) ([]OrderView, Cursor, error) {
	return nil, "", errPending
}

// Notices are what somebody has been told.
type Notices struct{}

func NewNotices(read NoticeReader, mark NoticeMarker, clock Clock, bell *Bell) *Notices {
	return &Notices{}
}

func (n *Notices) List(ctx context.Context, by user.Caller, p Page) ([]notification.Notification, Cursor, error) {
	return nil, "", errPending
}

// MarkRead marks all if ids is nil.
func (n *Notices) MarkRead(ctx context.Context, by user.Caller, ids []notification.ID) error {
	return errPending
}

// After lists at most 100 above last, oldest first, for the stream.
func (n *Notices) After(ctx context.Context, by user.Caller, last notification.ID) ([]notification.Notification, error) {
	return nil, errPending
}

// Latest is the number of the newest one, 0 if there is none: where a stream
// without Last-Event-ID begins.
func (n *Notices) Latest(ctx context.Context, by user.Caller) (notification.ID, error) {
	return 0, errPending
}

// Listen gives a channel that rings when the caller may have been told something
// by this process; also look now and then (each second or two), for other
// replicas. stop must be called.
func (n *Notices) Listen(by user.Caller) (ring <-chan struct{}, stop func()) {
	return nil, func() {}
}
func (n *Notices) Unread(ctx context.Context, by user.Caller) (int, error) { return 0, errPending }

// Bell wakes streams.
type Bell struct{}

func NewBell() *Bell { return &Bell{} }

// Statistics count.
type Statistics struct{}

func NewStatistics(t Tally, clock Clock) *Statistics { return &Statistics{} }

func (s *Statistics) OfUser(ctx context.Context, by user.Caller) (UserStatistics, error) {
	return UserStatistics{}, errPending
}
func (s *Statistics) OfMarket(ctx context.Context, by user.Caller) (MarketStatistics, error) {
	return MarketStatistics{}, errPending
}

// Tidying keeps the shelves in order.
type Tidying struct{}

func NewTidying(k Kit, lists ShelfReader) *Tidying { return &Tidying{} }

// Deactivate takes olderThanDays of 0 or more.
func (t *Tidying) Deactivate(ctx context.Context, by user.Caller, olderThanDays int, dryRun bool) ([]book.ID, error) {
	return nil, errPending
}
func (t *Tidying) BooksWithStatus(ctx context.Context, by user.Caller, s book.Status, p Page) ([]BookView, Cursor, error) {
	return nil, "", errPending
}

// Ledger is checked against orders and books.
type Ledger struct{}

func NewLedger(read LedgerReader) *Ledger { return &Ledger{} }

func (l *Ledger) Check(ctx context.Context) ([]Difference, error) { return nil, errPending }

// Chores finishes what was too long for one step; the program runs it all the time.
type Chores struct{}

func NewChores(k Kit) *Chores { return &Chores{} }

// Run works until ctx ends.
func (c *Chores) Run(ctx context.Context) error { return errPending }
