package guarding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Removal is what became of one book of Unlist.
type Removal struct {
	Book market.BookView // as it was before
	Err  error           // nil: it is unlisted now
}

// Unlist takes books off sale, those of each seller in one transaction, and says for each what
// became of it. It leaves out unknown ids. Only an admin can relist them. Their sellers get
// the reason, each in one mail, and the users who wait for them are notified. An error means that
// the books of one seller stay for sale and those of the others after them were not tried.
func (a *BookAdmin) Unlist(ctx context.Context, by user.Caller, ids []book.ID, reason string) ([]Removal, error) {
	found, err := a.Review(ctx, by, ids)
	if err != nil {
		return nil, err
	}
	if reason, err = order.CleanReason(reason); err != nil {
		return nil, err
	}
	bySeller := map[user.ID][]book.ID{}
	for _, v := range found {
		bySeller[v.Seller] = append(bySeller[v.Seller], v.ID)
	}
	results := make(map[book.ID]error, len(found))
	for _, v := range found {
		if _, done := results[v.ID]; done {
			continue
		}
		if err = a.unlistOf(ctx, by, bySeller[v.Seller], reason, results); err != nil {
			break
		}
	}
	var all []Removal
	for _, v := range found {
		if result, done := results[v.ID]; done {
			all = append(all, Removal{v, result})
		}
	}
	return all, err
}

// unlistOf unlists books of one seller and adds what became of each to results.
func (a *BookAdmin) unlistOf(ctx context.Context, by user.Caller, ids []book.ID, reason string, results map[book.ID]error) error {
	errs := make([]error, len(ids))
	err := a.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		clear(errs)
		return t.holdBooks(ctx, by, ids, reason, errs)
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		results[id] = errs[i]
	}
	return nil
}

// holdBooks holds books of one seller and writes an error that concerns one of them to its place in
// errs. Like all who need both, it locks reports before books, and books in the order of their ids.
func (t *tx) holdBooks(ctx context.Context, by user.Caller, ids []book.ID, reason string, errs []error) error {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if _, err := t.LockOpenReports(ctx, market.TargetOf(id)); err != nil {
			return err
		}
	}
	if _, err := t.LockBooks(ctx, ids...); err != nil {
		return err
	}
	var held []book.Book
	for i, id := range ids {
		t.Alone = false // that of the book before
		b, err := t.lockToList(ctx, by, id)
		if err == nil {
			err = t.hold(ctx, by, b, bookUnlisted, reason)
		}
		switch {
		case err == nil:
			held = append(held, b)
		case market.ConcernsOne(err):
			errs[i] = err
		default:
			return err
		}
	}
	t.mailUnlisted(bookUnlisted, reason, held...)
	return nil
}

// mailUnlisted tells the seller of books why they are held, in one mail.
func (t *tx) mailUnlisted(action, reason string, all ...book.Book) {
	if len(all) == 0 {
		return
	}
	var d message.Digest
	for _, b := range all {
		d.Add(market.UnlistedItem(b), t.Now)
	}
	params := t.DigestParams(d.Items, d.More)
	params[message.ParamReason] = reason
	if action == bookHidden {
		params[message.ParamBy] = message.ByReports
	}
	t.Mail(message.BookUnlisted, all[0].Seller, params)
}
