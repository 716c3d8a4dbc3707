package rawsql

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm/clause"
)

// These lock the rows of a query that GORM writes until the transaction ends. On SQLite
// they are left out: a transaction that writes is alone there.
var (
	// ForUpdate is for rows that the transaction may delete.
	ForUpdate = clause.Locking{Strength: "UPDATE"}
	// SkipLocked is ForUpdate that leaves out the rows which another transaction has locked.
	SkipLocked = clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}
	// ForNoKeyUpdate is for rows that the transaction changes. References to them do not wait.
	ForNoKeyUpdate = clause.Locking{Strength: "NO KEY UPDATE"}
	// ForKeyShare keeps others from deleting rows.
	ForKeyShare = clause.Locking{Strength: "KEY SHARE"}
)

// The same locks, to be put behind a SELECT that is written by hand.

// ForUpdate locks rows that the transaction may delete.
func (c Conn) ForUpdate() string { return c.onPostgres(" FOR UPDATE") }

// ForNoKeyUpdate locks rows that the transaction changes. References to them do not wait.
func (c Conn) ForNoKeyUpdate() string { return c.onPostgres(" FOR NO KEY UPDATE") }

// ForShare lets others read rows with the same lock and change none of them.
func (c Conn) ForShare() string { return c.onPostgres(" FOR SHARE") }

// SkipLocked is ForUpdate that leaves out the rows which another transaction has locked.
func (c Conn) SkipLocked() string { return c.onPostgres(" FOR UPDATE SKIP LOCKED") }

// Lock lets transactions that name the same thing run one after the other.
func (c Conn) Lock(ctx context.Context, name string) error {
	if c.Dialect != gormstore.Postgres {
		return nil
	}
	_, err := c.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)
	return err
}

func (c Conn) onPostgres(clause string) string {
	if c.Dialect == gormstore.Postgres {
		return clause
	}
	return ""
}
