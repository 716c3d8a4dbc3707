package authstore_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/test/contract/authcontract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

func TestAuditStoragePort(t *testing.T) { onEach(t, authcontract.AuditStorage) }

func number(t *testing.T, db *gormstore.DB, query string) (n int64) {
	t.Helper()
	must.Do(t, db.Read.Raw(query).Scan(&n).Error)
	return n
}

func addEntry(t *testing.T, db *gormstore.DB, at time.Time) int64 {
	t.Helper()
	e := audit.Entry{ID: id.First(at) + 1, At: at, Actor: 7, Action: "user.verified", Target: "7"}
	must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error { return authstore.AddAudit(tx, e) }))
	return e.ID
}

func TestAWholeQuarterOfTheAuditLogIsDroppedOnceAllOfItIsOld(t *testing.T) {
	db := database.Postgres(t, authstore.Migrations)
	store := authstore.New(db, unsealed{}, nil)
	start := id.Time(number(t, db, `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'FROM \(''(\d+)')::bigint FROM pg_class WHERE relname = 'audit_entries_later'`))
	must.Do(t, store.PrepareAuditStorage(t.Context(), start))
	for _, at := range []time.Time{start.AddDate(-1, 0, 0), start, start.AddDate(0, 3, 0).Add(-time.Hour), start.AddDate(0, 3, 0)} {
		addEntry(t, db, at)
	}
	for _, c := range []struct {
		before       time.Time
		rows, tables int64
	}{
		{start.AddDate(-2, 0, 0), 4, 4},
		{start.AddDate(0, 3, 0).Add(-time.Minute), 3, 4}, // the log of before there were quarters is dropped as well
		{start.AddDate(0, 3, 0), 1, 3},
		{start.AddDate(10, 0, 0), 0, 2},
	} {
		must.Get(store.DeleteAuditEntries(t.Context(), c.before, 100))(t)
		rows, tables := number(t, db, "SELECT count(*) FROM audit_entries"), number(t, db, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass")
		if rows != c.rows || tables != c.tables {
			t.Errorf("before %s: %d entries in %d partitions, want %d in %d", c.before, rows, tables, c.rows, c.tables)
		}
	}
}
