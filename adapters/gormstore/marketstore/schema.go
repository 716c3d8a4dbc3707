// Package marketstore stores the marketplace in a database: SQLite with FTS5 or Postgres
// with tsvector. GORM reads and writes rows. Some statements are written by hand, and scanned
// as marketrows says:
//
//   - those of a post, of a checkout and of nearly every transaction: LockUsers, AddBook, UpdateBook,
//     FindRequestsByKeys, AddOrder, AddNotifications and those beside them. Through GORM, each would
//     take about 10 µs more processor time; together they are a tenth of a post.
//   - lists, searches and statistics, in the files named for them. GORM takes twice the
//     processor time to read a page of books.
//
// What only one room of the market needs is in the package of its name, and what several need in
// marketrows. Here is what all transactions have, and rooms.go opens the store of each room.
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
