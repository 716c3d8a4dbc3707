package authstore_test

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/test/contract/authcontract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

func TestAuditStoragePort(t *testing.T) { onEach(t, authcontract.AuditStorage) }

// before returns the migrations up to a version.
func before(t *testing.T, file string) gormstore.Migrations {
	t.Helper()
	all := must.Get(fs.Glob(authstore.Migrations.FS, "postgres/*.sql"))(t)
	earlier := fstest.MapFS{}
	for _, name := range all {
		if name < file {
			text := must.Get(fs.ReadFile(authstore.Migrations.FS, name))(t)
			earlier[name] = &fstest.MapFile{Data: text}
		}
	}
	return gormstore.Migrations{Name: "auth", FS: earlier}
}

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

func TestTheAuditLogOfAnEarlierReleaseBecomesAPartitionAsItIs(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	for name, newest := range map[string]time.Time{"of years": now, "with an entry of a wrong clock": now.AddDate(10, 0, 0), "without entries": {}} {
		t.Run(name, func(t *testing.T) {
			db := database.Postgres(t, before(t, "postgres/00400"))
			want := int64(0)
			if !newest.IsZero() {
				for _, at := range []time.Time{now.AddDate(-2, 0, 0), now.AddDate(0, -1, 0), newest} {
					addEntry(t, db, at)
					want++
				}
			}
			file := number(t, db, "SELECT pg_relation_filenode('audit_entries')")
			for range 2 { // a program may have died before it recorded the first time
				must.Do(t, db.Migrate(t.Context(), authstore.Migrations))
				must.Do(t, db.Write.Exec("DELETE FROM goose_auth WHERE version_id = 400").Error)
			}
			if n := number(t, db, "SELECT count(*) FROM audit_entries"); n != want || number(t, db, "SELECT pg_relation_filenode('audit_entries_earlier')") != file {
				t.Errorf("%d entries in another file, or not %d", n, want)
			}
			if n := number(t, db, "SELECT count(*) FROM pg_inherits WHERE inhrelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'audit_entries_earlier'::regclass AND indisvalid)"); n != 5 {
				t.Errorf("%d of the five indexes belong to those of the whole log", n)
			}
			last := addEntry(t, db, now.AddDate(0, 0, 1))
			store := authstore.New(db, unsealed{}, nil)
			found, err := store.ListAuditEntries(t.Context(), account.AuditFilter{User: 7}, 0, 10)
			if err != nil || int64(len(found)) != want+1 || found[0].ID != last && newest.Before(now.AddDate(1, 0, 0)) {
				t.Errorf("found %+v, %v", found, err)
			}
			if err := store.PrepareAuditStorage(t.Context(), now.AddDate(0, 6, 0)); err != nil {
				t.Error(err)
			}
		})
	}
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
