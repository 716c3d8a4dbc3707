package authstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/partition"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// auditPartitions are the partitions of the audit log on Postgres.
func (i *Identity) auditPartitions() partition.Quarters {
	return partition.On(i.db, "audit_entries", "id")
}

// PrepareAuditStorage implements account.Reader. SQLite has no partitions.
func (i *Identity) PrepareAuditStorage(ctx context.Context, now time.Time) error {
	if i.db.Dialect != gormstore.Postgres {
		return nil
	}
	return i.auditPartitions().Prepare(ctx, now)
}

// DeleteAuditEntries implements account.Reader. On Postgres it drops whole partitions, and
// deletes rows only from the one that was filled before there were others.
func (i *Identity) DeleteAuditEntries(ctx context.Context, before time.Time, n int) (deleted int, err error) {
	if i.db.Dialect != gormstore.Postgres {
		return i.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
			return deleteAuditRows(ctx, rawsql.On(tx), "audit_entries", before, n)
		})
	}
	p := i.auditPartitions()
	if err := p.DropBefore(ctx, before, isAuditBefore(before)); err != nil {
		return 0, err
	}
	_, err = p.Change(ctx, func(ctx context.Context, c rawsql.Conn) error {
		deleted, err = deleteAuditRows(ctx, c, p.Earlier(), before, n)
		return err
	})
	return deleted, err
}

// isAuditBefore looks at the times as well as the ids, because of a clock that was set back.
func isAuditBefore(t time.Time) partition.Closing {
	return func(ctx context.Context, c rawsql.Conn, r partition.Range) (bool, error) {
		newest, found, err := rawsql.One(ctx, c, rawsql.Integer[int64], "SELECT at FROM "+r.Name+" ORDER BY at DESC LIMIT 1")
		return !found || newest < rawsql.Micros(t), err
	}
}

func deleteAuditRows(ctx context.Context, c rawsql.Conn, table string, before time.Time, n int) (int, error) {
	deleted, err := c.Exec(ctx, "DELETE FROM "+table+" WHERE id IN (SELECT id FROM "+table+" WHERE at < ? ORDER BY at LIMIT ?)",
		rawsql.Micros(before), n)
	return int(deleted), err
}
