package finding

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/savedsearch"
)

// hitBatch is how many records of one book are deleted in one transaction.
const hitBatch = 1000

// matchSearches tells the owners of the saved searches after a position in their index of a book
// for sale that their searches find. It is a job, so that a post costs the same however many
// searches there are.
func (t *tx) matchSearches(ctx context.Context, b book.Book, after SearchCursor) error {
	keys := savedsearch.BookKeys(b)
	for len(keys) > 0 && keys[0] < after.Key {
		keys = keys[1:]
	}
	ids, end, err := t.FindSearchesByKeys(ctx, SearchQuery{
		Keys: keys, Book: b, After: after, MaxEntries: maxIndexEntries, Limit: matchBatch,
	})
	if err != nil {
		return err
	}
	found, err := t.LockSearches(ctx, ids...)
	if err != nil {
		return err
	}
	for _, s := range found {
		if s.Owner == b.Seller || !s.Fits(b) {
			continue
		}
		if err := t.addHit(ctx, s, b); err != nil {
			return err
		}
	}
	if end == (SearchCursor{}) {
		return nil
	}
	return t.Enqueue(ctx, market.MatchSearches, int64(b.ID), end.Key, int64(end.Search))
}

// addHit records that a locked search has found a book. If that is new, it notifies the owner.
func (t *tx) addHit(ctx context.Context, s savedsearch.Search, b book.Book) error {
	isNew, err := t.AddHit(ctx, s.ID, b.ID, t.Now)
	if err != nil || !isNew {
		return err
	}
	t.Notify(notification.SearchHit, s.Owner, b)
	if !s.Mail {
		return nil
	}
	if s.Find(t.Now) {
		t.mailHits(s, []book.Book{b})
	}
	return t.UpdateSearch(ctx, s)
}

// mailHits mails what a search has found, the last found first.
func (t *tx) mailHits(s savedsearch.Search, found []book.Book) {
	for _, b := range found {
		t.Gather(message.SearchHit, s.Owner, message.Item{
			Book: int64(b.ID), Source: int64(s.ID), Title: b.Name, Course: b.Course, Price: t.Currency.Format(b.Price),
			Subscription: s.ID.Subscription(),
		})
	}
}

// forgetHits deletes the records of a book that can never be for sale again.
func (t *tx) forgetHits(ctx context.Context, id book.ID) error {
	more, err := t.DeleteHits(ctx, id, hitBatch)
	if err != nil || !more {
		return err
	}
	return t.Enqueue(ctx, market.ForgetHits, int64(id), "", 0)
}

// SearchMailer mails what saved searches have found since their last mail, once a day has passed.
type SearchMailer struct{ deps unit }

// newSearchMailer returns the use case.
func newSearchMailer(d unit) *SearchMailer { return &SearchMailer{d} }

const (
	// SearchMailBatch is how many searches MailDue looks at.
	SearchMailBatch = 50
	maxMailedHits   = 100 // a mail counts more as so many
)

// MailDue mails what at most SearchMailBatch searches have found, and returns how many searches it has
// looked at. Books that are no longer for sale are left out; without any other there is no mail.
func (m *SearchMailer) MailDue(ctx context.Context) (n int, err error) {
	err = m.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		due, err := t.LockSearchesToMail(ctx, t.Now.Add(-savedsearch.MailInterval), SearchMailBatch)
		n = len(due)
		if err != nil {
			return err
		}
		for _, s := range due {
			if err := t.mailDue(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func (t *tx) mailDue(ctx context.Context, s savedsearch.Search) error {
	found, err := t.ListHits(ctx, s.ID, min(s.Unmailed, maxMailedHits))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		s.Unmailed = 0
	} else if s.TakeMail(t.Now) {
		t.mailHits(s, found)
	}
	return t.UpdateSearch(ctx, s)
}

// EndSubscription ends the mails that a link in one of them is about, with commas between several: see
// message.ParamSubscription. It ignores what it does not know.
func (u *SavedSearches) EndSubscription(ctx context.Context, subscription string) error {
	for one := range strings.SplitSeq(subscription, ",") {
		id, ok := savedsearch.ParseSubscription(one)
		if !ok {
			continue
		}
		if err := u.StopMails(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
