package demostore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore"
)

var dropIndexes = []string{
	"CREATE TABLE demo_indexes (name TEXT PRIMARY KEY, definition TEXT NOT NULL)",
	`INSERT INTO demo_indexes SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
		WHERE NOT i.indisunique AND i.indrelid IN ('users'::regclass, 'books'::regclass, 'book_search'::regclass, 'requests'::regclass, 'request_keys'::regclass, 'matches'::regclass, 'orders'::regclass)`,
	"DO $$ DECLARE i RECORD; BEGIN FOR i IN SELECT name FROM demo_indexes LOOP EXECUTE 'DROP INDEX ' || i.name; END LOOP; END $$",
}

// finishPostgres builds the indexes one by one, so that it can be continued, then collects the
// statistics of the planner.
func (s *Store) finishPostgres(ctx context.Context, report func(what string, done, of int)) error {
	conn, err := s.db.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := buildIndexes(ctx, conn, report); err != nil {
		return gormstore.WrapUnavailable(err)
	}
	report("cleaning up tables", 0, 0)
	if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) users, books, book_search, requests, request_keys, matches, orders, ledger, notifications, terms, spellings"); err != nil {
		return gormstore.WrapUnavailable(err)
	}
	_, err = conn.Exec(ctx, "DROP TABLE demo_indexes, demo_campus")
	return gormstore.WrapUnavailable(err)
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
