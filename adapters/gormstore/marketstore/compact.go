package marketstore

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm"
)

// FTS5 writes a segment for each commit and merges a few at a time, as posts come. What
// reads looks into every segment: one instead of fifteen makes a search twice as quick.
const (
	manySegments = 8   // worth being merged while others wait for the writer
	compactStep  = 100 // pages of the index that one transaction writes: some milliseconds
	compactPause = 50 * time.Millisecond
	compactEvery = time.Hour
)

// CompactHourly keeps the search index quick to read until ctx ends. It stands aside
// for whoever writes; failures go to log.
func (s *Store) CompactHourly(ctx context.Context, log *slog.Logger) {
	for ctx.Err() == nil {
		if err := compact(ctx, s.db, manySegments, compactPause); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the search index was not compacted, will be tried again", "error", err)
		}
		wait(ctx, compactEvery)
	}
}

// Compact makes the search index quick to read at once, after very much was added.
func (s *Store) Compact(ctx context.Context) error { return compact(ctx, s.db, 2, 0) }

// compact makes one segment of so many or more.
func compact(ctx context.Context, db *gormstore.DB, many int, pause time.Duration) error {
	if db.Dialect == gormstore.Postgres {
		return nil
	}
	segments, _, err := one(ctx, conn{db.Read.Statement.ConnPool, db.Dialect}, integer[int], "SELECT count(DISTINCT segid) FROM book_search_idx")
	if err != nil || segments < many {
		return err
	}
	pages := -compactStep // which makes one of all segments, as far as it goes
	for more := true; more && err == nil; pages = compactStep {
		err = db.Atomically(ctx, func(tx *gorm.DB) (err error) {
			more, err = conn{tx.Statement.ConnPool, db.Dialect}.merge(ctx, pages)
			return err
		})
		wait(ctx, pause)
	}
	return err
}

// merge reports whether it had anything to do. FTS5 tells that by what it has changed:
// the command itself counts as one row.
func (c conn) merge(ctx context.Context, pages int) (bool, error) {
	const changes = "SELECT total_changes()"
	before, _, err := one(ctx, c, integer[int], changes)
	if err != nil {
		return false, err
	}
	if _, err = c.exec(ctx, "INSERT INTO book_search (book_search, rank) VALUES ('merge', ?)", pages); err != nil {
		return false, err
	}
	after, _, err := one(ctx, c, integer[int], changes)
	return after-before > 1, err
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
