// Package marketstore stores the marketplace in a database: SQLite with FTS5 or Postgres
// with tsvector. GORM reads and writes the rows of rows.go. Some statements are written by
// hand and scanned with scan.go:
//
//   - those of a post, of a checkout and of nearly every transaction: LockUsers, AddBook, UpdateBook,
//     FindRequestsByKeys, AddOrder, AddNotifications and those beside them. Through GORM, each would
//     take about 10 µs more processor time; together they are a tenth of a post.
//   - lists, searches and statistics, in the files named for them. GORM takes twice the
//     processor time to read a page of books.
//
// What only one room of the market needs is in files that begin with its name; rooms.go makes its
// store of a transaction.
package marketstore

import (
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Migrations create the tables of this package. They depend on the tables of authstore,
// outboxstore and workstore.
var Migrations = gormstore.Migrations{Name: "market", FS: files}
