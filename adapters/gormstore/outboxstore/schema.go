// Package outboxstore stores mail messages in the database: the outbox, to which other
// stores write in their own transactions, the opt-outs, and the development mailbox.
package outboxstore

import (
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations create this package's tables.
var Migrations = gormstore.Migrations{Name: "outbox", FS: steps}
