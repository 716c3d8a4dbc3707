package demostore

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/domain/order"
)

// dropIndexes also disables the triggers that count.
var dropIndexes = []string{
	"CREATE TABLE demo_indexes (name TEXT PRIMARY KEY, definition TEXT NOT NULL)",
	`INSERT INTO demo_indexes SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
		WHERE NOT i.indisunique AND i.indrelid IN ('users'::regclass, 'books'::regclass, 'book_search'::regclass, 'requests'::regclass, 'request_keys'::regclass, 'pairs'::regclass, 'orders'::regclass)`,
	"DO $$ DECLARE i RECORD; BEGIN FOR i IN SELECT name FROM demo_indexes LOOP EXECUTE 'DROP INDEX ' || i.name; END LOOP; END $$",
	"ALTER TABLE users DISABLE TRIGGER users_tallied",
	"ALTER TABLE books DISABLE TRIGGER books_tallied",
	"ALTER TABLE orders DISABLE TRIGGER orders_tallied",
	"ALTER TABLE orders DISABLE TRIGGER orders_counted",
	"ALTER TABLE ledger DISABLE TRIGGER entries_tallied",
}

// Enabling the triggers locks the tables against writes until the commit, so it comes before
// counting.
var enableTriggers = []string{
	"ALTER TABLE users ENABLE TRIGGER users_tallied",
	"ALTER TABLE books ENABLE TRIGGER books_tallied",
	"ALTER TABLE orders ENABLE TRIGGER orders_tallied",
	"ALTER TABLE orders ENABLE TRIGGER orders_counted",
	"ALTER TABLE ledger ENABLE TRIGGER entries_tallied",
}

// analyzeCounters tells the planner their number, or it takes the tables for small.
const analyzeCounters = "ANALYZE tallies, course_sales, campus_tallies, campus_course_sales"

// copyBatch loads a batch with COPY.
func (s *Store) copyBatch(ctx context.Context, n int, b Batch) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE demo_campus SET batches = $1 WHERE batches = $1 - 1", n)
		if err != nil {
			return gormstore.WrapUnavailable(err)
		}
		if tag.RowsAffected() == 0 {
			return errNotAlone
		}
		if err := authstore.CopyUsers(ctx, tx, b.Users); err != nil {
			return err
		}
		return copyMarket(ctx, marketstore.NewCopier(tx, &s.vocabulary), b)
	})
}

func copyMarket(ctx context.Context, c marketstore.Copier, b Batch) error {
	if err := c.CopyBooks(ctx, b.Books); err != nil {
		return err
	}
	sold, entries := make([]marketstore.SoldBook, 0, len(b.Orders)), []order.Entry(nil)
	for _, o := range b.Orders {
		sold, entries = append(sold, marketstore.SoldBook{Order: o.Order, Book: o.Of}), append(entries, o.Entries...)
	}
	if err := c.CopyOrders(ctx, sold, entries); err != nil {
		return err
	}
	if err := c.CopyMatches(ctx, b.Matches); err != nil {
		return err
	}
	requests := make([]marketstore.IndexedRequest, 0, len(b.Requests))
	for _, r := range b.Requests {
		requests = append(requests, marketstore.IndexedRequest{Request: r.Request, Entries: r.entries()})
	}
	if err := c.CopyRequests(ctx, requests); err != nil {
		return err
	}
	return c.CopyNotifications(ctx, b.Notifications)
}

// connect returns the connection for copying, which stays open until Close.
func (s *Store) connect(ctx context.Context) (*pgx.Conn, error) {
	if s.conn != nil && !s.conn.IsClosed() {
		return s.conn, nil
	}
	var err error
	s.conn, err = s.db.Connect(ctx)
	return s.conn, err
}

// finishPostgres builds the indexes one by one, so that it can be continued, then collects the
// statistics of the planner, and counts.
func (s *Store) finishPostgres(ctx context.Context, report func(what string, done, of int)) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	if err := buildIndexes(ctx, conn, report); err != nil {
		return gormstore.WrapUnavailable(err)
	}
	report("cleaning up tables", 0, 0)
	if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) users, books, book_search, requests, request_keys, pairs, orders, ledger, notices, terms, spellings"); err != nil {
		return gormstore.WrapUnavailable(err)
	}
	report("counting", 0, 0)
	return gormstore.WrapUnavailable(pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, statement := range slices.Concat(enableTriggers, countAll, []string{analyzeCounters, "DROP TABLE demo_indexes", dropRecord}) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
}

// buildMemory is how much memory of Postgres the build of an index uses.
const buildMemory = "SET maintenance_work_mem = '256MB'"

func buildIndexes(ctx context.Context, conn *pgx.Conn, report func(what string, done, of int)) error {
	rows, err := conn.Query(ctx, "SELECT definition FROM demo_indexes ORDER BY name")
	if err != nil {
		return err
	}
	missing, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, buildMemory); err != nil {
		return err
	}
	for i, definition := range missing {
		report("indexes", i, len(missing))
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, definition); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "DELETE FROM demo_indexes WHERE definition = $1", definition)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
