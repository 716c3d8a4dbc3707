// Package market is the marketplace: posting, requesting, searching and buying
// books, and what follows from a sale. Its types are the use cases. The files
// named ports*.go declare what the use cases need from adapters.
package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Clock tells the time in UTC.
type Clock func() time.Time

// Now returns the time.
func (c Clock) Now() time.Time { return c() }

// IDs generates positive ids, each higher than those before it.
type IDs func() int64

// Next returns the next one.
func (g IDs) Next() int64 { return g() }

// Store runs transactions on the market's data.
type Store interface {
	// Atomically runs do in one transaction. It commits when do returns nil; otherwise it
	// rolls back and returns the error of do unchanged. Concurrent transactions behave as
	// if they ran one after the other. do may run more than once, so it must have no
	// effect except through the stores.
	Atomically(ctx context.Context, do func(context.Context, Stores) error) error
}

// Stores are what one transaction of any room may change. They are valid only within it.
//
// A row that a Lock method returns stays locked until the transaction ends: other
// transactions wait before they change or lock it.
type Stores interface {
	// LockBooks loads and locks the books with these ids, in ascending order. Unknown
	// ids are left out.
	LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error)
	// UpdateBook stores a locked book. If its stored status is no longer was, nothing
	// changes and the error is book.ErrNotAvailable.
	UpdateBook(ctx context.Context, b book.Book, was book.Status) error
	// LockKeys makes transactions that store a book and a request with a common key at
	// the same time run one after the other, so that the later one sees the other's row.
	// posting is true for books, which do not wait for each other, and false for
	// requests. Call it before storing either.
	LockKeys(ctx context.Context, posting bool, keys []string) error
	// ListPhotos lists the shown photos of each book in ascending order, without ChangedAt and
	// sums.
	ListPhotos(ctx context.Context, of ...book.ID) (map[book.ID][]photo.Photo, error)

	// FindOrders loads orders by id, in ascending order. Unknown ids are left out.
	FindOrders(ctx context.Context, ids []order.ID) ([]order.Order, error)
	// AreBlocked reports whether one of two people has blocked the other.
	AreBlocked(ctx context.Context, a, b user.ID) (bool, error)

	// FindUsers loads users by id. Unknown ids are left out.
	FindUsers(ctx context.Context, ids ...user.ID) (map[user.ID]User, error)
	// LockUsers is FindUsers with a shared lock: until the transaction ends, others can
	// share the lock but not change or delete these accounts.
	LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]User, error)
	// LockStaff loads the admins and owners, see user.Staff, in ascending order and with the
	// lock of LockUsers.
	LockStaff(ctx context.Context) ([]user.Staff, error)
	// ForgetUser deletes all notifications and digests of a user, and what is counted of quotas.
	// Later notifications are discarded.
	ForgetUser(ctx context.Context, id user.ID) error

	// AddNotifications stores notifications and gives each the next number of its user.
	// A user's first notification is preceded by the welcome. Of each user it keeps at
	// least the newest MaxNotifications of the personal kinds, read or not, and as many of the
	// others, and at most a tenth more. It returns those that are stored, with their numbers: none of
	// deleted users, and the welcomes.
	AddNotifications(ctx context.Context, all []notification.Notification) ([]notification.Notification, error)
	// RecordSideEffects adds what tells of the change.
	RecordSideEffects(ctx context.Context, e SideEffects) error

	// LockDigests locks and loads the digests of one kind to some people, in ascending order of
	// their ids; an empty one for each that is not stored yet, which the lock includes.
	LockDigests(ctx context.Context, kind message.Kind, to []user.ID) ([]message.Digest, error)
	// LockDueDigests locks and loads at most n digests whose WakesAt has come, the earliest
	// first. It leaves out those that another transaction has locked.
	LockDueDigests(ctx context.Context, now time.Time, n int) ([]message.Digest, error)
	// SaveDigests stores locked digests, and deletes those that are spent.
	SaveDigests(ctx context.Context, all []message.Digest, now time.Time) error
	// FilterItems returns those items, in their order, that still hold: the book is for sale,
	// and the open request still matches it, or the saved search that found it mails; or the
	// book is still unlisted, and its seller may relist it. It locks nothing.
	FilterItems(ctx context.Context, kind message.Kind, items []message.Item) ([]message.Item, error)

	// AddJob adds a job to the queue of background work.
	AddJob(ctx context.Context, j job.Job) error
	// TakeJob removes the job of a kind that is due longest and that no other transaction has taken;
	// false if there is none.
	TakeJob(ctx context.Context, kind job.Kind, now time.Time) (job.Job, bool, error)

	// ClaimKey claims an idempotency key for this transaction, or returns the response that was
	// saved under it after then. A concurrent claim of the same key waits until this
	// transaction ends. Responses from before then may be deleted.
	ClaimKey(ctx context.Context, owner user.ID, key string, then, now time.Time) (*StoredResponse, error)
	// SaveResponse saves the response under a key that this transaction has claimed.
	SaveResponse(ctx context.Context, owner user.ID, key string, r StoredResponse) error

	// ChangeUse locks what a user has used of a quota, the zero Use if nothing yet, and saves what change makes of it.
	// The lock includes a use that is not stored yet. An error of change is returned, and nothing is saved.
	ChangeUse(ctx context.Context, id user.ID, quota string, change func(limit.Use) (limit.Use, error)) error
	// KeepCurrency remembers the currency of the amounts and returns its code. If there are already
	// amounts in another currency, it changes nothing and returns that currency's code.
	// Transactions that call it run one after the other.
	KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error)

	// Handle is the transaction of the adapter, of which it makes the stores of rooms.
	Handle() any
	// OnCommit calls do after the commit, or never if there is none. do must not use the
	// stores.
	OnCommit(do func())
}

// SideEffects are what a transaction tells of its change, besides notifications.
type SideEffects struct {
	AuditEntries []audit.Entry     // what admins and owners do
	Events       []event.Event     // in the order in which the webhook service gets them
	Messages     []message.Message // mails, which are sent if the transaction commits
}

// Reader reads what several rooms show.
type Reader interface {
	// FindBookViews loads books by id in any status and in no particular order. Unknown
	// ids are left out. A view includes the live order of the book, if any; the use cases decide
	// who may see it.
	FindBookViews(ctx context.Context, ids ...book.ID) ([]BookView, error)
	// ListBooksPostedBy lists at most n books of a seller with ids below before, newest first; 0
	// means no bound.
	ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]BookView, error)
	// ListBooksBoughtBy lists at most n books that a buyer has bought, with their orders and the contact details of
	// buyer and seller, the newest order first, with ids of orders below before; 0 means no bound.
	ListBooksBoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]BookView, error)
	// FindSeller counts at most max sales and at most max cancelled ones. If there is no such user, the error is
	// user.ErrNotFound.
	FindSeller(ctx context.Context, id user.ID, max int) (Seller, error)
	// ListReportCampuses lists the universities of the reports about a target, open or not. For
	// a person these are all reports for which the person is responsible.
	ListReportCampuses(ctx context.Context, on report.Target) ([]string, error)
}

// NotificationReader reads the notifications of people.
type NotificationReader interface {
	// ListNotifications lists at most n with ids below before, newest first; 0 means no
	// bound.
	ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error)
	// ListNotificationsAfter lists at most n with ids above after, oldest first.
	ListNotificationsAfter(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error)
	CountUnread(ctx context.Context, of user.ID) (int, error)
}
