package demostore

import (
	"context"

	"gorm.io/gorm"
)

// collectIndexes leaves out those of requests, which stay: storing a request reads them.
const collectIndexes = `CREATE TABLE demo_indexes AS SELECT name, sql AS definition FROM sqlite_schema
	WHERE type = 'index' AND sql LIKE 'CREATE INDEX %' AND tbl_name IN ('users', 'books', 'matches', 'orders')`

func prepareSQLite(tx *gorm.DB) error {
	if err := run(tx, []string{collectIndexes}); err != nil {
		return err
	}
	var drops []string
	if err := tx.Raw("SELECT 'DROP INDEX ' || name FROM demo_indexes").Scan(&drops).Error; err != nil {
		return err
	}
	return run(tx, drops)
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
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		return run(tx, []string{"DROP TABLE demo_indexes", "DROP TABLE demo_campus"})
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
