package rawsql

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm/clause"
)

// Row locks until the end of the transaction, for GORM queries and for Conn.Locking. SQLite
// omits them, because a transaction that writes has no concurrent one there.
var (
	// ForUpdate is for rows that the transaction may delete.
	ForUpdate = clause.Locking{Strength: "UPDATE"}
	// SkipLocked is ForUpdate that skips rows locked by other transactions.
	SkipLocked = clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}
	// ForNoKeyUpdate is for rows that the transaction changes. It does not block references to them.
	ForNoKeyUpdate = clause.Locking{Strength: "NO KEY UPDATE"}
	// ForKeyShare prevents others from deleting rows.
	ForKeyShare = clause.Locking{Strength: "KEY SHARE"}
	// ForShare prevents others from changing rows; they may take the same lock.
	ForShare = clause.Locking{Strength: "SHARE"}
)

// Locking returns the suffix for a hand-written SELECT statement that locks its rows.
func (c Conn) Locking(l clause.Locking) string {
	if c.Dialect != gormstore.Postgres {
		return ""
	}
	return strings.TrimRight(" FOR "+l.Strength+" "+l.Options, " ")
}

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
	locked, _, err := One(ctx, c, Integer[int], "SELECT CAST(pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS int)", name)
	return locked == 1, err
}
