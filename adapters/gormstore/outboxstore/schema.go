// Package outboxstore stores what leaves the program after a commit: mail messages and events,
// which other stores add in their own transactions. It also stores the opt-outs from mails and
// the development mailbox.
package outboxstore

import (
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations create this package's tables.
var Migrations = gormstore.Migrations{Name: "outbox", FS: steps}
