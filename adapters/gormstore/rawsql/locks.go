package rawsql

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// The locks are put behind a SELECT and hold until the transaction ends. On SQLite they
// are empty: a transaction that writes is alone there.

// ForUpdate locks rows that the transaction may delete.
func (c Conn) ForUpdate() string { return c.onPostgres(" FOR UPDATE") }

// ForNoKeyUpdate locks rows that the transaction changes. References to them do not wait.
func (c Conn) ForNoKeyUpdate() string { return c.onPostgres(" FOR NO KEY UPDATE") }

// ForShare lets others read rows with the same lock and change none of them.
func (c Conn) ForShare() string { return c.onPostgres(" FOR SHARE") }

// ForKeyShare keeps others from deleting rows.
func (c Conn) ForKeyShare() string { return c.onPostgres(" FOR KEY SHARE") }

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
