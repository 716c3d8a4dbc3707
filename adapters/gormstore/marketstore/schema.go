// Package marketstore keeps the marketplace in a database: SQLite with FTS5 or
// Postgres with tsvector. Lists of books are in listed.go, for both; what differs between the
// two is in search_sqlite.go, search_postgres.go and dialect.go.
package marketstore

import (
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations are the steps to this package's tables. They need the tables of
// authstore and outboxstore beside them.
var Migrations = gormstore.Migrations{Name: "market", FS: steps}
