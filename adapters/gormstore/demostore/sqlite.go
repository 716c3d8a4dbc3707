package demostore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
)

// The indexes of requests stay, because storing one reads them, and so do the triggers that keep
// hour_tallies by the other counters.
var collectDropped = []string{
	`CREATE TABLE demo_indexes AS SELECT name, sql AS definition FROM sqlite_schema
		WHERE type = 'index' AND sql LIKE 'CREATE INDEX %' AND tbl_name IN ('users', 'books', 'pairs', 'orders')`,
	`CREATE TABLE demo_triggers AS SELECT name, sql AS definition FROM sqlite_schema
		WHERE type = 'trigger' AND (sql LIKE '%INTO tallies%' OR sql LIKE '%INTO campus_tallies%')`,
}

func prepareSQLite(tx *gorm.DB) error {
	if err := run(tx, collectDropped); err != nil {
		return err
	}
	var drops []string
	err := tx.Raw("SELECT 'DROP INDEX ' || name FROM demo_indexes UNION ALL SELECT 'DROP TRIGGER ' || name FROM demo_triggers").Scan(&drops).Error
	if err != nil {
		return err
	}
	return run(tx, drops)
}

// insertBatch loads a batch through the same stores as real data.
func (s *Store) insertBatch(ctx context.Context, n int, b Batch) error {
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
	for _, add := range []func(context.Context, market.Stores, Batch) error{s.addBooks, s.addOrders, s.addMatches, s.addRequests} {
		if err := add(ctx, st, b); err != nil {
			return err
		}
	}
	return st.AddNotifications(ctx, b.Notifications)
}

// sortInFiles bounds the memory for building an index.
const sortInFiles = "PRAGMA temp_store = FILE"

// mergeIndexes merges the segments of the full-text indexes. A search would read all of them.
var mergeIndexes = []string{
	"INSERT INTO book_search (book_search) VALUES ('optimize')",
	"INSERT INTO order_search (order_search) VALUES ('optimize')",
	"INSERT INTO user_search (user_search) VALUES ('optimize')",
}

func (s *Store) finishSQLite(ctx context.Context, report func(what string, done, of int)) error {
	if err := s.rebuildIndexes(ctx, report); err != nil {
		return err
	}
	report("merging the full-text indexes", 0, 0)
	if err := run(s.db.Write.WithContext(ctx), mergeIndexes); err != nil {
		return err
	}
	report("counting", 0, 0)
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		var triggers []string
		if err := tx.Raw("SELECT definition FROM demo_triggers").Scan(&triggers).Error; err != nil {
			return err
		}
		return run(tx, slices.Concat(triggers, []string{"DELETE FROM hour_tallies"}, countAll, []string{"DROP TABLE demo_indexes", "DROP TABLE demo_triggers", dropRecord}))
	})
}

// rebuildIndexes builds the missing indexes one by one, so that it can be continued.
func (s *Store) rebuildIndexes(ctx context.Context, report func(what string, done, of int)) error {
	db := s.db.Write.WithContext(ctx)
	if err := run(db, []string{sortInFiles}); err != nil {
		return err
	}
	var missing []string
	if err := db.Raw("SELECT definition FROM demo_indexes ORDER BY name").Scan(&missing).Error; err != nil {
		return err
	}
	for i, definition := range missing {
		report("indexes", i, len(missing))
		err := s.db.Atomically(ctx, func(tx *gorm.DB) error {
			if err := run(tx, []string{definition}); err != nil {
				return err
			}
			return tx.Exec("DELETE FROM demo_indexes WHERE definition = ?", definition).Error
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) addBooks(ctx context.Context, st market.Stores, b Batch) error {
	books := s.market.SellingStore(st)
	for _, one := range b.Books {
		if err := books.AddBook(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) addOrders(ctx context.Context, st market.Stores, b Batch) error {
	orders := s.market.BuyingStore(st)
	for _, o := range b.Orders {
		if err := orders.AddOrder(ctx, o.Order); err != nil {
			return err
		}
		if err := orders.UpdateOrder(ctx, o.Order, o.Status, o.Entries); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) addMatches(ctx context.Context, st market.Stores, b Batch) error {
	_, err := s.market.FindingStore(st).AddMatches(ctx, b.Matches)
	return err
}

func (s *Store) addRequests(ctx context.Context, st market.Stores, b Batch) error {
	requests := s.market.FindingStore(st)
	for _, r := range b.Requests {
		if err := requests.AddRequest(ctx, r.Request, book.MaxOpenRequests); err != nil {
			return err
		}
		entries := r.entries()
		if len(entries) == 0 {
			continue
		}
		if err := requests.IndexRequest(ctx, r.ID, entries); err != nil {
			return err
		}
	}
	return nil
}
