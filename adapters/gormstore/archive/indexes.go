package archive

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// listIndexes lists the indexes that only speed up reads: of all tables on SQLite, of one on Postgres. Those of
// partitioned tables stay.
var listIndexes = map[gormstore.Dialect]string{
	gormstore.SQLite: "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX %' AND tbl_name = $1",
	gormstore.Postgres: `SELECT x.relname::text, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
		WHERE NOT i.indisunique AND x.relkind = 'i' AND i.indrelid = $1::regclass`,
}

type index struct{ name, definition string }

func dropIndexes(ctx context.Context, tx *sql.Tx, d gormstore.Dialect, tables []Table) error {
	for _, t := range tables {
		found, err := indexes(ctx, tx, listIndexes[d], t.Name)
		if err != nil {
			return err
		}
		for _, i := range found {
			if _, err := tx.ExecContext(ctx, "INSERT INTO import_indexes (name, definition) VALUES ($1, $2)", i.name, i.definition); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DROP INDEX "+quote(i.name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func indexes(ctx context.Context, q querier, query string, args ...any) (all []index, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var i index
		if err := rows.Scan(&i.name, &i.definition); err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, rows.Err()
}

// The memory for building an index is bounded: SQLite sorts in files, outside of a transaction.
const (
	sortInFiles = "PRAGMA temp_store = FILE"
	buildMemory = "SET LOCAL maintenance_work_mem = '256MB'"
)

// buildIndexes makes the indexes again, one by one, so that it can be continued.
func buildIndexes(ctx context.Context, db *gormstore.DB, report func(what string, done, of int64)) error {
	write, read := db.SQL()
	build := []string{buildMemory}
	if db.Dialect == gormstore.SQLite {
		build = nil
		if _, err := write.ExecContext(ctx, sortInFiles); err != nil {
			return gormstore.WrapUnavailable(err)
		}
	}
	missing, err := indexes(ctx, read, "SELECT name, definition FROM import_indexes ORDER BY name")
	if err != nil {
		return gormstore.WrapUnavailable(err)
	}
	for n, i := range missing {
		report("indexes", int64(n), int64(len(missing)))
		err := inTransaction(ctx, db, func(tx *sql.Tx) error {
			for _, statement := range append(slices.Clone(build), i.definition) {
				if _, err := tx.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			_, err := tx.ExecContext(ctx, "DELETE FROM import_indexes WHERE name = $1", i.name)
			return err
		})
		if err != nil {
			return fmt.Errorf("index %s: %w", i.name, err)
		}
	}
	return nil
}
