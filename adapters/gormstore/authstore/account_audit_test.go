package authstore_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// manyEntries are one a minute, half of them of user 1, and one with another action.
var manyEntries = map[string][]string{
	"sqlite": {`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO audit_entries SELECT i, i * 60000000, 1 + i % 2, CASE i WHEN 5 THEN 'user.role_set' ELSE 'session.started' END, i % 1000, '', '' FROM n`},
	"postgres": append(slices.Repeat([]string{`INSERT INTO audit_entries SELECT i, i * 60000000::BIGINT, 1 + i % 2, CASE i WHEN 5 THEN 'user.role_set' ELSE 'session.started' END, i % 1000, '', ''
		FROM (SELECT (SELECT coalesce(max(id), 0) FROM audit_entries) + n AS i FROM generate_series(1, 10000) n) AS more`}, 10), "ANALYZE"), // a busy machine may take seconds for each
}

// sortOfFew is the sorting of less than a hundred rows, or reading all of the empty partition.
var sortOfFew = regexp.MustCompile(`Sort  \(.* rows=\d{1,2} |Seq Scan on audit_entries_later`)

func TestAPageOfALongAuditLogIsReadFromAnIndexInItsOrder(t *testing.T) {
	at := func(minutes int) time.Time { return time.UnixMicro(int64(minutes) * 60_000_000).UTC() }
	for engine, db := range map[string]*gormstore.DB{
		"sqlite": database.SQLite(t, authstore.Migrations), "postgres": database.Postgres(t, authstore.Migrations),
	} {
		for _, statement := range manyEntries[engine] {
			must.Do(t, db.Write.Exec(statement).Error)
		}
		store := authstore.New(db, unsealed{}, nil)
		for name, c := range map[string]struct {
			filter account.AuditFilter
			first  int64
			n      int
		}{
			"all":              {account.AuditFilter{}, 100_000, 41},
			"a rare action":    {account.AuditFilter{Action: "user.role_set"}, 5, 1},
			"a busy user":      {account.AuditFilter{User: 1}, 100_000, 41},
			"another user":     {account.AuditFilter{User: 777}, 99_777, 41},
			"the first days":   {account.AuditFilter{Until: at(20)}, 19, 19},
			"days in the past": {account.AuditFilter{Since: at(5_000), Until: at(90_000)}, 89_999, 41},
			"the last days":    {account.AuditFilter{Since: at(99_990)}, 100_000, 11},
			"no day":           {account.AuditFilter{Until: at(-1_000)}, 0, 0},
		} {
			plans := watchReads(t, engine, db)
			got, err := store.ListAuditEntries(t.Context(), c.filter, 0, 41)
			if err != nil || len(got) != c.n || c.n > 0 && got[0].ID != c.first {
				t.Errorf("%s on %s: %d entries, %v", name, engine, len(got), err)
			}
			for i := 1; i < len(got); i++ {
				if got[i].ID >= got[i-1].ID || c.filter.User != 0 && got[i].Actor != c.filter.User && got[i].Target != c.filter.User.String() {
					t.Fatalf("%s on %s: entry %+v", name, engine, got[i])
				}
			}
			for query, plan := range plans() {
				plan = sortOfFew.ReplaceAllString(plan, "")
				for _, slow := range []string{"TEMP B-TREE", "Sort  (", "Seq Scan", "SCAN "} {
					few := slow == "Sort  (" && strings.Contains(plan, "_target") // a hundred entries are sorted faster
					if strings.Contains(plan, slow) && !few {
						t.Errorf("%s on %s: %s\n%s", name, engine, query, plan)
					}
				}
			}
		}
	}
}

// watchReads returns a function that explains each query since then, once.
func watchReads(t *testing.T, engine string, db *gormstore.DB) func() map[string]string {
	t.Helper()
	plans := map[string]string{}
	callbacks := db.Read.Callback().Query().After("gorm:query")
	if err := callbacks.Register("watch", func(tx *gorm.DB) {
		query := tx.Statement.SQL.String()
		plans[query] = explain(t, engine, db, query, tx.Statement.Vars)
	}); err != nil {
		t.Fatal(err)
	}
	return func() map[string]string {
		if err := db.Read.Callback().Query().Remove("watch"); err != nil {
			t.Fatalf("%d queries, %v", len(plans), err)
		}
		return plans
	}
}

func explain(t *testing.T, engine string, db *gormstore.DB, query string, args []any) string {
	t.Helper()
	prefix, columns := "EXPLAIN ", 1
	if engine == "sqlite" {
		prefix, columns = "EXPLAIN QUERY PLAN ", 4
	}
	_, read := db.SQL()
	rows, err := read.QueryContext(t.Context(), prefix+query, args...)
	must.Do(t, err)
	defer func() { _ = rows.Close() }()
	into, line := make([]any, columns), ""
	for i := range into {
		into[i] = new(int64)
	}
	into[columns-1] = &line
	var plan strings.Builder
	for rows.Next() {
		must.Do(t, rows.Scan(into...))
		plan.WriteString(line + "\n")
	}
	must.Do(t, rows.Err())
	return plan.String()
}
