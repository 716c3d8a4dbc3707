package archive

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// complete makes the indexes again and compares every row with the archive.
func (i *Import) complete(ctx context.Context, t target) error {
	if t.stage == verified {
		return nil
	}
	if err := buildIndexes(ctx, t.DB, i.Report); err != nil {
		return err
	}
	if err := advance(ctx, t.DB); err != nil {
		return err
	}
	if err := i.verify(ctx, t); err != nil {
		return err
	}
	searched, err := t.DB.HasTable(ctx, "search_versions")
	if err != nil {
		return err
	}
	return inTransaction(ctx, t.DB, func(tx *sql.Tx) error {
		if searched { // the market's store makes the index again
			if _, err := tx.ExecContext(ctx, "UPDATE search_versions SET version = 0, last_book = 0, last_term = ''"); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, saveRecord, i.files, verified)
		return err
	})
}

// verify reads every row again and compares the sums with those of the archive.
func (i *Import) verify(ctx context.Context, t target) error {
	s, err := openSnapshot(ctx, t.DB)
	if err != nil {
		return err
	}
	defer func() { _ = s.Rollback() }()
	tables, err := t.Source.tables(ctx, s, i.archive.Header.Schema)
	if err != nil {
		return err
	}
	for _, table := range tables {
		i.Report("comparing "+table.Name, 0, 0)
		found, line := newSum(), []byte(nil)
		err := s.each(ctx, table, func(values []any) error {
			line = appendRow(line[:0], table.Columns, values)
			found.add(1, line)
			return nil
		})
		if err != nil {
			return err
		}
		got, want := found.total(), i.archive.Manifest.Tables[table.Name]
		if got != want && got.Rows+want.Rows > 0 {
			return fmt.Errorf("the import failed: the database has %d rows of %s with the sum %s, and the archive %d with %s",
				got.Rows, table.Name, got.SHA256, want.Rows, want.SHA256)
		}
	}
	return nil
}

// Finish lets the databases be used, after their schema and their indexes were brought up to date.
func (i Import) Finish(ctx context.Context) error {
	for _, t := range slices.Backward(i.Targets) {
		err := inTransaction(ctx, t.DB, func(tx *sql.Tx) error {
			if t.DB.Dialect == gormstore.Postgres {
				if _, err := tx.ExecContext(ctx, "ANALYZE"); err != nil {
					return err
				}
			}
			for _, table := range []string{"import_indexes", recordTable} {
				if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
