package rawsql

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm/clause"
)

// Row locks for GORM queries, until the end of the transaction. SQLite omits them, because
// a transaction that writes has no concurrent one there.
var (
	// ForUpdate is for rows that the transaction may delete.
	ForUpdate = clause.Locking{Strength: "UPDATE"}
	// SkipLocked is ForUpdate that skips rows locked by other transactions.
	SkipLocked = clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}
	// ForNoKeyUpdate is for rows that the transaction changes. It does not block references to them.
	ForNoKeyUpdate = clause.Locking{Strength: "NO KEY UPDATE"}
	// ForKeyShare prevents others from deleting rows.
	ForKeyShare = clause.Locking{Strength: "KEY SHARE"}
)

// The same locks as suffixes for hand-written SELECT statements.

// ForUpdate locks rows that the transaction may delete.
func (c Conn) ForUpdate() string { return c.onPostgres(" FOR UPDATE") }

// ForNoKeyUpdate locks rows that the transaction changes. It does not block references to
// them.
func (c Conn) ForNoKeyUpdate() string { return c.onPostgres(" FOR NO KEY UPDATE") }

// ForShare prevents others from changing rows; they may take the same lock.
func (c Conn) ForShare() string { return c.onPostgres(" FOR SHARE") }

// SkipLocked is ForUpdate that skips rows locked by other transactions.
func (c Conn) SkipLocked() string { return c.onPostgres(" FOR UPDATE SKIP LOCKED") }

// AdvisoryLock serialises the transactions that use the same name. On SQLite it does
// nothing, because writing transactions are serial there.
func (c Conn) AdvisoryLock(ctx context.Context, name string) error {
	if c.Dialect != gormstore.Postgres {
		return nil
	}
	_, err := c.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)
	return err
}

// TryAdvisoryLock is AdvisoryLock that does not wait: false if another transaction has the
// lock.
func (c Conn) TryAdvisoryLock(ctx context.Context, name string) (bool, error) {
	if c.Dialect != gormstore.Postgres {
		return true, nil
	}
	locked, _, err := One(ctx, c, func() ([]any, func() bool) {
		var yes bool
		return []any{&yes}, func() bool { return yes }
	}, "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))", name)
	return locked, err
}

func (c Conn) onPostgres(clause string) string {
	if c.Dialect == gormstore.Postgres {
		return clause
	}
	return ""
}
