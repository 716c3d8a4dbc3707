// Package demostore loads a generated campus into the database.
package demostore

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/buyingstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/findingstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
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
	Reports       []report.Report
	Desks         []desk.Desk
	Places        []meeting.Place
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
type Order = buyingstore.SoldBook

// Store fills the tables of the auth service and of the market. It is for one goroutine.
type Store struct {
	db     *gormstore.DB
	market *marketstore.Store
}

// New returns a store over db; m is the market's store on the same database.
func New(db *gormstore.DB, m *marketstore.Store) *Store { return &Store{db: db, market: m} }

// A campus is loaded without the indexes that only speed up reads, which are built at the end. The table
// demo_indexes has the definitions of those that are missing. See docs/adr/0037.
func (s *Store) prepare(tx *gorm.DB) error {
	if s.db.Dialect == gormstore.Postgres {
		return run(tx, dropIndexes)
	}
	return prepareSQLite(tx)
}

// run executes statements on all rows, which nobody is warned of for being slow.
func run(db *gorm.DB, statements []string) error {
	db = db.Session(&gorm.Session{Logger: logger.Discard})
	for _, statement := range statements {
		if err := db.Exec(statement).Error; err != nil {
			return err
		}
	}
	return nil
}

// Load implements demo.Store.
func (s *Store) Load(ctx context.Context, n int, b Batch) error {
	err := s.load(ctx, n, b)
	if err == nil {
		return nil
	}
	if begun, unknown := s.db.HasTable(ctx, recordTable); unknown == nil && !begun {
		err = errNotAlone // which has finished
	}
	return fmt.Errorf("load batch %d: %w", n, err)
}

func (s *Store) load(ctx context.Context, n int, b Batch) error {
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
		return s.loadMarket(tx.Statement.Context, s.market.StoresOf(tx), b)
	})
}

func (s *Store) loadMarket(ctx context.Context, in market.Stores, b Batch) error {
	l := s.market.Loader(in)
	if err := l.AddBooks(ctx, b.Books); err != nil {
		return err
	}
	if err := l.AddOrders(ctx, b.Orders); err != nil {
		return err
	}
	if _, err := s.market.FindingStore(in).AddMatches(ctx, b.Matches); err != nil {
		return err
	}
	requests := make([]findingstore.IndexedRequest, len(b.Requests))
	for i, r := range b.Requests {
		requests[i] = findingstore.IndexedRequest{Request: r.Request, Entries: r.entries()}
	}
	if err := l.AddRequests(ctx, requests); err != nil {
		return err
	}
	for _, r := range b.Reports {
		if err := s.market.GuardingStore(in).AddReport(ctx, r); err != nil {
			return err
		}
	}
	if err := s.addPlaces(ctx, in, b); err != nil {
		return err
	}
	_, err := in.AddNotifications(ctx, b.Notifications)
	return err
}

func (s *Store) addPlaces(ctx context.Context, in market.Stores, b Batch) error {
	buying := s.market.BuyingStore(in)
	for _, d := range b.Desks {
		if err := buying.SaveDesk(ctx, d, desk.Max); err != nil {
			return err
		}
	}
	for _, p := range b.Places {
		if err := buying.SavePlace(ctx, p, meeting.MaxPlaces); err != nil {
			return err
		}
	}
	return nil
}

// Finish implements demo.Store.
func (s *Store) Finish(ctx context.Context, report func(what string, done, of int)) error {
	if s.db.Dialect == gormstore.Postgres {
		return s.finishPostgres(ctx, report)
	}
	return s.finishSQLite(ctx, report)
}
