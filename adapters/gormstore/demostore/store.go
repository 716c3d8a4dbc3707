// Package demostore takes a made-up campus into the database, through the same
// stores that keep a real one.
package demostore

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
)

// Store fills a database with the identity core's and the market's tables.
type Store struct {
	db     *gormstore.DB
	market market.Store
}

// New makes a store over db, where m keeps the market.
func New(db *gormstore.DB, m market.Store) *Store { return &Store{db: db, market: m} }

// Empty reports whether nobody has an account, nor had one.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	var used bool
	err := s.db.Read.WithContext(ctx).Raw("SELECT EXISTS (SELECT 1 FROM users)").Scan(&used).Error
	return !used, err
}

// Load adds people in one transaction and all else in a second.
func (s *Store) Load(ctx context.Context, b Batch) error {
	if err := s.widen(ctx); err != nil {
		return err
	}
	if err := s.db.Atomically(ctx, func(tx *gorm.DB) error { return authstore.AddUsers(tx, b.Users...) }); err != nil {
		return fmt.Errorf("load people: %w", err)
	}
	err := s.market.Atomically(ctx, func(ctx context.Context, st market.Stores) error {
		for _, step := range []func(context.Context, market.Stores, Batch) error{addBooks, addSales, addPairs, addRequests} {
			if err := step(ctx, st, b); err != nil {
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

// wideCache holds, in KiB, the pages that one batch touches: its rows go all over
// the indexes.
const wideCache = "PRAGMA cache_size = -131072"

// widen gives the one writer of SQLite a larger cache.
func (s *Store) widen(ctx context.Context) error {
	if s.db.Dialect != gormstore.SQLite {
		return nil
	}
	return s.db.Write.WithContext(ctx).Exec(wideCache).Error
}

// Finish merges the full-text index, which loading leaves in pieces that each search would
// read. Postgres is told what is in its tables.
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

func addSales(ctx context.Context, st market.Stores, b Batch) error {
	for _, s := range b.Sales {
		if err := st.Orders.AddOrder(ctx, s.Order); err != nil {
			return err
		}
		if err := st.Orders.UpdateOrder(ctx, s.Order, s.Status, s.Entries); err != nil {
			return err
		}
	}
	return nil
}

func addPairs(ctx context.Context, st market.Stores, b Batch) error {
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
