package selling

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// MaxPosts is how many books PostAll takes.
const MaxPosts = importBatch

// errPosts refuses to post no books, or too many.
var errPosts = book.ErrInvalid.WithField("books", "Must have 1 to "+strconv.Itoa(MaxPosts)+" books.")

// PostAll offers several books in one transaction, or none if one is invalid: book.ErrInvalid
// names each invalid field, such as books[2].price. They count for Limits.ImportLines. See PostWithKey for
// the idempotency key.
func (l *Listings) PostAll(
	ctx context.Context, by user.Caller, k market.IdempotencyKey, drafts []book.Draft,
) (views []market.BookView, replayed bool, err error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, false, err
	}
	lines, err := l.checkAll(drafts)
	if err != nil {
		return nil, false, err
	}
	replayed, err = l.deps.WithIdempotencyKey(ctx, by, k, op{
		Do: func(ctx context.Context, t *tx) (err error) {
			if err := t.useImportLines(ctx, by, len(lines)); err != nil {
				return err
			}
			views, err = t.postBooks(ctx, by, lines)
			return err
		},
		Response: func() (r market.StoredResponse) {
			for _, v := range views {
				r.Created = append(r.Created, int64(v.ID))
			}
			return r
		},
		Replay: func(ctx context.Context, t *tx, stored market.StoredResponse) (err error) {
			views, err = t.replayPosts(ctx, lines, stored)
			return err
		},
	})
	return views, replayed, err
}

func (l *Listings) checkAll(drafts []book.Draft) ([]importLine, error) {
	if len(drafts) == 0 || len(drafts) > MaxPosts {
		return nil, errPosts
	}
	refusal := book.ErrInvalid
	lines := make([]importLine, len(drafts))
	for i, d := range drafts {
		details, err := d.Check(l.deps.Currency, l.deps.Clock.Now())
		lines[i] = importLine{details: details}
		f := fault.As(err)
		if f == nil {
			continue
		}
		for name, why := range f.Fields {
			refusal = refusal.WithField("books["+strconv.Itoa(i)+"]."+name, why)
		}
	}
	if refusal.Fields != nil {
		return nil, refusal
	}
	return lines, nil
}
