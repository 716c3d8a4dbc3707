// Package outboxstore keeps in the database what is told to people by mail: the
// outbox that other stores write to within their own transactions, who declined
// mails they can do without, and the development mailbox.
package outboxstore

import (
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var steps embed.FS

// Migrations are the steps to this package's tables.
var Migrations = gormstore.Migrations{Name: "outbox", FS: steps}
