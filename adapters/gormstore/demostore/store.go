// Package demostore loads a generated campus into the database, through the same stores as
// real data.
package demostore

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
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

// Order is an order in its present status, with all its ledger entries.
type Order struct {
	order.Order
	Entries []order.Entry
}

// Store fills the tables of the auth service and of the market.
type Store struct {
	db     *gormstore.DB
	market market.Store
}

// New returns a store over db; m is the market's store on the same database.
func New(db *gormstore.DB, m market.Store) *Store { return &Store{db: db, market: m} }

// Empty reports whether there has never been an account.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	used, err := authstore.HasUsers(ctx, s.db)
	return !used, err
}

// Load adds the users in one transaction and everything else in a second.
func (s *Store) Load(ctx context.Context, b Batch) error {
	if err := s.enlargeCache(ctx); err != nil {
		return err
	}
	if err := s.db.Atomically(ctx, func(tx *gorm.DB) error { return authstore.AddUsers(tx, b.Users...) }); err != nil {
		return fmt.Errorf("load users: %w", err)
	}
	err := s.market.Atomically(ctx, func(ctx context.Context, st market.Stores) error {
		for _, add := range []func(context.Context, market.Stores, Batch) error{addBooks, addOrders, addMatches, addRequests} {
			if err := add(ctx, st, b); err != nil {
				return err
			}
		}
		return st.Notifications.AddNotifications(ctx, b.Notifications)
	})
	if err != nil {
		return fmt.Errorf("load the market: %w", err)
	}
	return nil
}

// largeCache sets the cache to 128 MiB, enough for the pages that one batch changes: its rows
// are scattered over the indexes.
const largeCache = "PRAGMA cache_size = -131072"

// enlargeCache enlarges the cache of SQLite's writer connection.
func (s *Store) enlargeCache(ctx context.Context) error {
	if s.db.Dialect != gormstore.SQLite {
		return nil
	}
	return s.db.Write.WithContext(ctx).Exec(largeCache).Error
}

// Finish merges the segments of the full-text index, all of which a search would read. On
// Postgres it updates the statistics of the planner.
func (s *Store) Finish(ctx context.Context) error {
	statement := "ANALYZE"
	if s.db.Dialect == gormstore.SQLite {
		statement = "INSERT INTO book_search (book_search) VALUES ('optimize')"
	}
	return s.db.Write.WithContext(ctx).Exec(statement).Error
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
		if r.Word == "" {
			continue
		}
		if err := st.Requests.IndexRequest(ctx, r.ID, r.IndexEntries(r.Word)); err != nil {
			return err
		}
	}
	return nil
}
