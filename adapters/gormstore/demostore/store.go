// Package demostore loads a generated campus into the database: on SQLite through the same stores
// as real data, on Postgres with COPY.
package demostore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Batch is a part of the campus. Across all batches, users come before their books, and
// books before their orders, matches and notifications.
type Batch struct {
	Users         []user.User
	Books         []book.Book
	Requests      []Request
	Matches       []book.Match
	Orders        []Order
	Notifications []notification.Notification
}

// Request is a request with the rare word of its name under which it is indexed.
type Request struct {
	book.Request
	Word string
}

// entries are the entries of a request in the index.
func (r Request) entries() []book.IndexEntry {
	if r.Word == "" {
		return nil
	}
	return r.IndexEntries(r.Word)
}

// Order is an order in its present status, with all its ledger entries and the book of which
// it is.
type Order struct {
	order.Order
	Entries []order.Entry
	Of      book.Book
}

// Store fills the tables of the auth service and of the market. It is for one goroutine.
type Store struct {
	db         *gormstore.DB
	market     *marketstore.Store
	conn       *pgx.Conn // of Postgres
	vocabulary marketstore.Vocabulary
}

// New returns a store over db; m is the market's store on the same database.
func New(db *gormstore.DB, m *marketstore.Store) *Store { return &Store{db: db, market: m} }

// Close closes the connection that was opened for copying.
func (s *Store) Close(ctx context.Context) error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close(ctx)
}

// prepare returns the statements that prepare an empty database for loading.
func (s *Store) prepare() []string {
	if s.db.Dialect == gormstore.Postgres {
		return prepareTables
	}
	return nil
}

// Load implements demo.Store.
func (s *Store) Load(ctx context.Context, n int, b Batch) error {
	load := s.insertBatch
	if s.db.Dialect == gormstore.Postgres {
		load = s.copyBatch
	}
	err := load(ctx, n, b)
	if err == nil {
		return nil
	}
	if begun, unknown := s.db.HasTable(ctx, recordTable); unknown == nil && !begun {
		err = errNotAlone // which has finished
	}
	return fmt.Errorf("load batch %d: %w", n, err)
}

// insertBatch loads a batch through the same stores as real data.
func (s *Store) insertBatch(ctx context.Context, n int, b Batch) error {
	if err := s.enlargeCache(ctx); err != nil {
		return err
	}
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		counted := tx.Exec("UPDATE demo_campus SET batches = ? WHERE batches = ?", n, n-1)
		if counted.Error != nil {
			return counted.Error
		}
		if counted.RowsAffected == 0 {
			return errNotAlone
		}
		if err := authstore.AddUsers(tx, b.Users...); err != nil {
			return err
		}
		return s.insertMarket(tx.Statement.Context, s.market.StoresOf(tx), b)
	})
}

func (s *Store) insertMarket(ctx context.Context, st market.Stores, b Batch) error {
	for _, add := range []func(context.Context, market.Stores, Batch) error{addBooks, addOrders, addMatches, addRequests} {
		if err := add(ctx, st, b); err != nil {
			return err
		}
	}
	return st.Notifications.AddNotifications(ctx, b.Notifications)
}

// largeCache sets the cache to 128 MiB, enough for the pages that one batch changes: its rows
// are scattered over the indexes.
const largeCache = "PRAGMA cache_size = -131072"

// enlargeCache enlarges the cache of SQLite's writer connection.
func (s *Store) enlargeCache(ctx context.Context) error {
	return s.db.Write.WithContext(ctx).Exec(largeCache).Error
}

// Finish implements demo.Store.
func (s *Store) Finish(ctx context.Context, report func(what string, done, of int)) error {
	if s.db.Dialect == gormstore.Postgres {
		return s.finishPostgres(ctx, report)
	}
	report("merging the full-text index", 0, 0)
	// A search would read all segments of the index.
	if err := s.db.Write.WithContext(ctx).Exec("INSERT INTO book_search (book_search) VALUES ('optimize')").Error; err != nil {
		return err
	}
	return s.db.Write.WithContext(ctx).Exec(dropRecord).Error
}

func addBooks(ctx context.Context, st market.Stores, b Batch) error {
	for _, one := range b.Books {
		if err := st.Books.AddBook(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

func addOrders(ctx context.Context, st market.Stores, b Batch) error {
	for _, s := range b.Orders {
		if err := st.Orders.AddOrder(ctx, s.Order); err != nil {
			return err
		}
		if err := st.Orders.UpdateOrder(ctx, s.Order, s.Status, s.Entries); err != nil {
			return err
		}
	}
	return nil
}

func addMatches(ctx context.Context, st market.Stores, b Batch) error {
	for _, p := range b.Matches {
		if _, err := st.Matches.AddMatch(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func addRequests(ctx context.Context, st market.Stores, b Batch) error {
	for _, r := range b.Requests {
		if err := st.Requests.AddRequest(ctx, r.Request, book.MaxOpenRequests); err != nil {
			return err
		}
		entries := r.entries()
		if len(entries) == 0 {
			continue
		}
		if err := st.Requests.IndexRequest(ctx, r.ID, entries); err != nil {
			return err
		}
	}
	return nil
}
