// Package marketstore keeps the marketplace in a database: SQLite with FTS5 or
// Postgres with tsvector. What differs between the two is in dialect.go.
package marketstore

import (
	"context"
	"embed"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations are the steps to this package's tables. They need the tables of
// authstore and outboxstore beside them.
var Migrations = gormstore.Migrations{Name: "market", FS: steps, Fill: fill}

func fill(ctx context.Context, db *gormstore.DB) error {
	return errors.Join(signNames(ctx, db), indexBooks(ctx, db))
}
