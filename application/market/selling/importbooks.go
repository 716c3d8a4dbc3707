package selling

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// importBatch is how many books one transaction posts.
const importBatch = 50

// Imports posts the books of CSV files.
type Imports struct {
	deps   unit
	reader Reader
}

// newImports returns the use cases.
func newImports(d unit, reader Reader) *Imports { return &Imports{d, reader} }

// Import is what became of a file.
type Import struct {
	Accepted int                   // lines that were posted or, in a dry run, could be
	Rejected []market.RejectedLine // in their order
	Books    []market.BookView     // those posted, in the order of the file
	Replayed bool                  // all of it repeats an earlier call
	Failure  error                 // why the posting ended in the middle; nil if it did not
	File     ImportFile            // how the file was read
}

// ImportOptions say how to import a file.
type ImportOptions struct {
	DryRun bool             // post nothing
	Dates  pasted.DateOrder // of days and months; AnyOrder: as the file shows
}

// Import posts the valid lines of a CSV file, importBatch in a transaction, without a notification
// of each; a dry run posts nothing. A file that cannot be read as a whole is ErrCSV, and one with
// more lines than Limits.ImportLines has left posts nothing and is ErrImportLimit.
//
// If the posting fails in the middle, the result without an idempotency key has the books that are
// posted, rejects the other lines and has the Failure. With a key the result is the error: a call that repeats it
// within IdempotencyKeyLife posts what is missing and returns everything, see PostWithKey.
func (i *Imports) Import(ctx context.Context, by user.Caller, k market.IdempotencyKey, file []byte, o ImportOptions) (Import, error) {
	if err := by.MustBeStudent(); err != nil {
		return Import{}, err
	}
	if err := k.Check(); err != nil {
		return Import{}, err
	}
	read, err := openBooks(file)
	if err == nil {
		err = read.Missing()
	}
	if err != nil {
		return Import{}, err
	}
	if read.Dates = o.Dates; o.Dates == pasted.AnyOrder {
		read.Dates = read.orderOf(read.rows, pasted.AnyOrder, i.deps.Currency, i.deps.Clock.Now())
	}
	lines, rejected := i.readerOf(read.ImportFile).readAll(read.rows)
	out := Import{Accepted: len(lines), Rejected: rejected, Replayed: len(lines) > 0, File: read.ImportFile}
	if o.DryRun {
		out.Replayed = false
		return out, nil
	}
	return i.postAll(ctx, by, k, lines, out)
}

// postAll posts the lines in batches, and adds to out what became of them.
func (i *Imports) postAll(ctx context.Context, by user.Caller, k market.IdempotencyKey, lines []importLine, out Import) (Import, error) {
	for posted := 0; posted < len(lines); posted += importBatch {
		batch := importOf{all: len(lines), first: posted, lines: lines[posted:min(posted+importBatch, len(lines))]}
		views, replayed, err := i.post(ctx, by, k, batch)
		if err != nil && (k.Value != "" || posted == 0) {
			return Import{}, err
		}
		if err != nil {
			out.fail(err, lines[posted:])
			return out, nil
		}
		out.Books, out.Replayed = append(out.Books, views...), out.Replayed && replayed
	}
	return out, nil
}

// fail rejects lines that could not be posted.
func (i *Import) fail(why error, lines []importLine) {
	i.Failure = why
	i.Accepted -= len(lines)
	for _, l := range lines {
		i.Rejected = append(i.Rejected, market.RejectedLine{Line: l.line, Fields: map[string]string{
			market.RecordField: "This line was not posted, because something went wrong. Send it again.",
		}})
	}
}

// importOf is a batch of an import.
type importOf struct {
	all, first int // lines of the import, and before this batch
	lines      []importLine
}

// key is the idempotency key of the batch: that of the call for the first one, so that another
// call with it is refused, and one derived from it for the others.
func (b importOf) key(k market.IdempotencyKey) market.IdempotencyKey {
	if k.Value == "" || b.first == 0 {
		return k
	}
	sum := sha256.Sum256([]byte(k.Value))
	return market.IdempotencyKey{
		Value: "import " + base64.RawURLEncoding.EncodeToString(sum[:]) + " " + strconv.Itoa(b.first), BodyHash: k.BodyHash,
	}
}

// post posts a batch in one transaction. The first one counts the lines of all.
func (i *Imports) post(
	ctx context.Context, by user.Caller, k market.IdempotencyKey, batch importOf,
) (views []market.BookView, replayed bool, err error) {
	replayed, err = i.deps.WithIdempotencyKey(ctx, by, batch.key(k), op{
		Do: func(ctx context.Context, t *tx) (err error) {
			if batch.first == 0 {
				if err := t.useImportLines(ctx, by, batch.all); err != nil {
					return err
				}
			}
			views, err = t.postBooks(ctx, by, batch.lines)
			return err
		},
		Response: func() market.StoredResponse {
			r := market.StoredResponse{}
			for _, v := range views {
				r.Created = append(r.Created, int64(v.ID))
			}
			return r
		},
		Replay: func(ctx context.Context, t *tx, stored market.StoredResponse) (err error) {
			views, err = t.replayPosts(ctx, batch.lines, stored)
			return err
		},
	})
	return views, replayed, err
}

// postBooks posts several books. It locks the keys of all at once: transactions that lock keys in
// several steps could deadlock.
func (t *tx) postBooks(ctx context.Context, by user.Caller, lines []importLine) ([]market.BookView, error) {
	var keys []string
	for _, l := range lines {
		keys = append(keys, book.NewMatcher(book.Book{Details: l.details}).Keys()...)
	}
	if err := t.Stores.LockKeys(ctx, true, keys); err != nil {
		return nil, err
	}
	views := make([]market.BookView, len(lines))
	for i, l := range lines {
		var err error
		if views[i], err = t.addBook(ctx, by, l.details); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// replayPosts restores the books as they were posted with these details.
func (t *tx) replayPosts(ctx context.Context, lines []importLine, stored market.StoredResponse) ([]market.BookView, error) {
	ids := make([]book.ID, len(stored.Created))
	for i, id := range stored.Created {
		ids[i] = book.ID(id)
	}
	found, err := t.LockBooks(ctx, ids...)
	if err != nil {
		return nil, err
	}
	views := make([]market.BookView, 0, len(found))
	for i, b := range found { // both are in the order of posting
		if i < len(lines) {
			views = append(views, market.BookView{
				Book: book.Post(b.ID, b.Seller, b.University, lines[i].details, stored.At), SellerName: t.Caller.Profile.FirstName,
			})
		}
	}
	return views, nil
}
