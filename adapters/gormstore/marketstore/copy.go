package marketstore

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
)

// Copier loads many rows with COPY, on Postgres. The rows are those that the stores of Atomically
// write, but nothing is checked: they must be consistent.
type Copier struct {
	tx pgx.Tx
	v  *Vocabulary
}

// Vocabulary caches the terms that are stored. The zero value is ready for use, by one transaction
// at a time, as long as each of them commits.
type Vocabulary struct{ known map[string]bool }

// NewCopier returns a copier into a transaction.
func NewCopier(tx pgx.Tx, v *Vocabulary) Copier { return Copier{tx, v} }

// bookCopyColumns are those of bookValues.
var bookCopyColumns = []string{
	"seller_id", "buyer_id", "status", "name", "course", "edition", "price", "grade", "available_at", "comments", "isbn",
	"university", "created_at", "listed_at", "held", "title_key", "course_key", "university_key", "id",
}

// CopyBooks adds books, and those for sale to the full-text index.
func (c Copier) CopyBooks(ctx context.Context, all []book.Book) error {
	if err := gormstore.CopyRows(ctx, c.tx, "books", bookCopyColumns, all, func(b book.Book) ([]any, error) { return bookValues(b), nil }); err != nil {
		return err
	}
	listed := slices.DeleteFunc(slices.Clone(all), func(b book.Book) bool { return b.Status != book.ForSale })
	if err := gormstore.CopyRows(ctx, c.tx, "book_search", []string{"rowid", "terms"}, listed, searchEntry); err != nil {
		return err
	}
	return c.learn(ctx, listed)
}

func searchEntry(b book.Book) ([]any, error) {
	terms := indexTerms(b)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	vector := pgtype.TSVector{Lexemes: make([]pgtype.TSVectorLexeme, len(terms)), Valid: true}
	for i, t := range terms {
		vector.Lexemes[i].Word = t
	}
	return []any{int64(b.ID), vector}, nil
}

// maxKnown bounds the vocabulary to some megabytes.
const maxKnown = 100_000

// learn stores the terms of books, as vocabulary.learn does.
func (c Copier) learn(ctx context.Context, listed []book.Book) error {
	if len(c.v.known) > maxKnown || c.v.known == nil {
		c.v.known = map[string]bool{}
	}
	var terms, spelled, spellings []string
	for _, b := range listed {
		for _, t := range b.Terms() {
			if c.v.known[t] {
				continue
			}
			c.v.known[t] = true
			terms = append(terms, t)
			for _, s := range book.Spellings(t) {
				spelled, spellings = append(spelled, t), append(spellings, s)
			}
		}
	}
	if len(terms) == 0 {
		return nil
	}
	if _, err := c.tx.Exec(ctx, "INSERT INTO terms (term) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", terms); err != nil {
		return gormstore.WrapUnavailable(err)
	}
	_, err := c.tx.Exec(ctx, "INSERT INTO spellings (term, spelling) SELECT unnest($1::text[]), unnest($2::text[]) ON CONFLICT DO NOTHING", spelled, spellings)
	return gormstore.WrapUnavailable(err)
}

// SoldBook is an order in any status with the book that it sold.
type SoldBook struct {
	Order order.Order
	Book  book.Book
}

// orderCopyColumns are those of insertOrder.
var orderCopyColumns = []string{
	"id", "book_id", "name", "name_key", "buyer_id", "seller_id", "price", "fee", "status", "reason",
	"created_at", "verified_at", "delivered_at", "cancelled_at", "verified_by", "delivered_by", "cancelled_by",
	"handover", "handed_over_at", "settlement", "reminded_at", "waited", "course", "course_key", "isbn",
	"university", "university_key",
}

// CopyOrders adds orders, and entries of them to the ledger.
func (c Copier) CopyOrders(ctx context.Context, all []SoldBook, entries []order.Entry) error {
	err := gormstore.CopyRows(ctx, c.tx, "orders", orderCopyColumns, all, func(s SoldBook) ([]any, error) {
		values, b := orderValues(s.Order), s.Book
		values = values[:len(values)-2] // insertOrder reads the rest from the book
		return append(values, s.Order.CreatedAt.Sub(b.ListedAt).Microseconds(), b.Course, book.Key(b.Course), string(b.ISBN), b.University, book.Key(b.University)), nil
	})
	if err != nil {
		return err
	}
	return gormstore.CopyRows(ctx, c.tx, "ledger", []string{"order_id", "movement", "account", "amount", "at"}, entries, func(e order.Entry) ([]any, error) {
		return []any{int64(e.Order), int(e.Movement), int(e.Account), int64(e.Amount), rawsql.Micros(e.At)}, nil
	})
}

// IndexedRequest is a request with its entries in the index of requests.
type IndexedRequest struct {
	book.Request
	Entries []book.IndexEntry
}

// CopyRequests adds requests and their entries in the index.
func (c Copier) CopyRequests(ctx context.Context, all []IndexedRequest) error {
	columns := []string{"id", "owner_id", "name", "course", "isbn", "edition", "max_price", "status", "filled_by", "created_at"}
	err := gormstore.CopyRows(ctx, c.tx, "requests", columns, all, func(r IndexedRequest) ([]any, error) {
		return []any{
			int64(r.ID), int64(r.Owner), r.Name, r.Course, string(r.ISBN), r.Edition, int64(r.MaxPrice), int(r.Status), int64(r.FilledBy), rawsql.Micros(r.CreatedAt),
		}, nil
	})
	if err != nil {
		return err
	}
	var keys []requestKeyRow
	for _, r := range all {
		for _, e := range r.Entries {
			keys = append(keys, requestKeyRow{r.ID, e.Key, e.Words})
		}
	}
	return gormstore.CopyRows(ctx, c.tx, "request_keys", []string{"key", "request_id", "words"}, keys, func(k requestKeyRow) ([]any, error) {
		return []any{k.Key, int64(k.RequestID), int64(k.Words)}, nil
	})
}

// CopyMatches adds matches.
func (c Copier) CopyMatches(ctx context.Context, all []book.Match) error {
	columns := []string{"id", "book_id", "request_id", "owner_id", "reason", "holds", "created_at"}
	return gormstore.CopyRows(ctx, c.tx, "pairs", columns, all, func(m book.Match) ([]any, error) {
		return []any{m.ID, int64(m.Book), int64(m.Request), int64(m.Owner), string(m.Reason), 1, rawsql.Micros(m.CreatedAt)}, nil
	})
}
