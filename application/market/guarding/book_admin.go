package guarding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// BookAdmin shows admins what has happened to a book, and lets them take books off sale.
type BookAdmin struct {
	deps   unit
	reader Reader
}

// newBookAdmin returns the use cases.
func newBookAdmin(d unit, r Reader) *BookAdmin { return &BookAdmin{d, r} }

// BookHistory is what has happened to a book, each list newest first and at most MaxHistory
// long.
type BookHistory struct {
	market.BookView
	Orders  []market.OrderView // in every status
	Matches []market.MatchView // also those of requests that are filled or match no longer
	Changes []audit.Entry      // of the price, and each time it was unlisted or relisted
}

// MaxHistory bounds each list of a BookHistory.
const MaxHistory = 100

// History returns a book in any status with its history.
func (a *BookAdmin) History(ctx context.Context, by user.Caller, id book.ID) (BookHistory, error) {
	found, err := a.Review(ctx, by, []book.ID{id})
	if err != nil {
		return BookHistory{}, err
	}
	if len(found) == 0 {
		return BookHistory{}, book.ErrNotFound
	}
	h, err := a.reader.ReadBookHistory(ctx, id, MaxHistory)
	if err != nil {
		return BookHistory{}, err
	}
	h.BookView = found[0].ShownTo(by)
	h.Orders = slices.DeleteFunc(h.Orders, func(v market.OrderView) bool { return !by.Oversees(v.University) }) // the seller has moved
	return h, nil
}

// ListPosted lists the newest books of a seller in every status, at most MaxHistory, without
// those that the caller does not oversee.
func (a *BookAdmin) ListPosted(ctx context.Context, by user.Caller, seller user.ID) ([]market.BookView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	all, err := a.reader.ListBooksPostedBy(ctx, seller, 0, MaxHistory)
	return slices.DeleteFunc(all, func(v market.BookView) bool { return !by.Oversees(v.University) }), err
}

// ErrTooManyToUnlist refuses more than MaxBulk books.
var ErrTooManyToUnlist = fault.New(fault.Invalid, "too_many_to_unlist", "At most 50 books can be unlisted at once.").
	WithField("bookIds", "Must have at most 50 entries.")

// Review reads books by id for admins, in the order of the ids and each once. It leaves out
// unknown ids.
func (a *BookAdmin) Review(ctx context.Context, by user.Caller, ids []book.ID) ([]market.BookView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	if len(ids) > market.MaxBulk {
		return nil, ErrTooManyToUnlist
	}
	views, err := a.reader.FindBookViews(ctx, ids...)
	if err != nil {
		return nil, err
	}
	byID := make(map[book.ID]market.BookView, len(views))
	for _, v := range views {
		byID[v.ID] = v
	}
	var all []market.BookView
	for _, id := range ids {
		if v, ok := byID[id]; ok {
			delete(byID, id)
			if err := market.MustOverseeBook(ctx, by, v.Book, a.reader.ListReportCampuses); err != nil {
				return nil, err
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// Affairs returns what an admin decides about who takes these books off sale or puts them on
// sale again. The caller is a party also to a book about which they have an open report.
func (a *BookAdmin) Affairs(ctx context.Context, by user.Caller, books ...market.BookView) (map[book.ID]user.Affair, error) {
	ids := make([]book.ID, len(books))
	all := make(map[book.ID]user.Affair, len(books))
	for i, v := range books {
		ids[i], all[v.ID] = v.ID, v.Affair()
	}
	reported, err := a.reader.ListBooksReportedBy(ctx, by.ID, ids...)
	for _, id := range reported {
		all[id] = all[id].With(by.ID)
	}
	return all, err
}

// hold takes a locked book off sale until an admin relists it, and notifies its seller, to whom
// mailUnlisted says why. The audit log says who did it and calls it action.
func (t *tx) hold(ctx context.Context, by user.Caller, b book.Book, action, reason string) error {
	if err := b.Hold(); err != nil {
		return err
	}
	if err := t.UpdateBook(ctx, b, book.ForSale); err != nil {
		return err
	}
	t.Audit(by, action, b.ID.String(), reason)
	t.PublishEvent(event.UnlistBook(b, event.ByAdmin))
	if action == bookHidden {
		t.Announce(notification.AboutHidden(b.Seller, b.ID, b.Name, t.Now))
	} else {
		t.Notify(notification.BookUnlisted, b.Seller, b)
	}
	return t.BookLeft(ctx, b)
}

// The actions of hold in the audit log.
const (
	bookUnlisted = "book.unlisted"
	bookHidden   = "book.hidden" // by reports
)

// Relist offers a book again that an admin has unlisted, and matches it again. A seller who
// may not trade any more is book.ErrTransition.
func (a *BookAdmin) Relist(ctx context.Context, by user.Caller, id book.ID) error {
	if err := by.MustBe(user.Admin); err != nil {
		return err
	}
	return a.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		b, err := t.lockToList(ctx, by, id)
		if err != nil {
			return err
		}
		sellers, err := t.LockUsers(ctx, b.Seller)
		if err != nil {
			return err
		}
		seller := sellers[b.Seller]
		if seller.MayTrade() != nil {
			return book.ErrTransition
		}
		return t.release(ctx, by, b, seller)
	})
}
