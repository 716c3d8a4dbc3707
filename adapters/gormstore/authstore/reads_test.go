package authstore_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// manyAccounts have entries in the audit log, grants and more. Each statement ends with a source of
// rows i from 1 to 10,000.
var manyAccounts = []string{
	"INSERT INTO users (id, email, created_at, first_name, last_name, name_key, university) SELECT i, 'u' || i || '@a.edu', 1, 'Ann', 'Li', 'ann li', 'U' || (i % 20) FROM ",
	"INSERT INTO audit_entries (id, at, actor, action, target, ip, detail) SELECT i, CAST(i AS BIGINT) * 1000000000, 1 + i % 100, CASE WHEN i % 2 = 0 THEN 'login' ELSE 'logout' END, CAST(1 + i % 70 AS TEXT), '', '' FROM ",
	"INSERT INTO client_grants (user_id, client, scopes, created_at, changed_at) SELECT i, 'c' || (i % 4), 'openid', 1, 1 FROM ",
	"INSERT INTO identities (id, user_id, provider, subject, email, created_at) SELECT i, i, 'p', i, '', 1 FROM ",
}

var accountRows = map[string]string{
	"sqlite":   "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i FROM n) n",
	"postgres": "generate_series(1, 10000) i",
}

// mostRead are steps of SQLite's machine, and rows that pass through the plans of Postgres.
var mostRead = map[gormstore.Dialect]int{gormstore.SQLite: 8_000, gormstore.Postgres: 1_500}

// What a list reads depends on what it shows, not on how many accounts there are.
func TestNoListOfAccountsReadsMoreAsTheyGrow(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range databases {
		t.Run(engine, func(t *testing.T) {
			db := open(t, authstore.Migrations)
			for _, statement := range manyAccounts {
				must.Do(t, db.Write.Exec(statement+accountRows[engine]).Error)
			}
			cost := database.SQLiteSteps
			if engine == "postgres" {
				must.Do(t, db.Write.Exec("ANALYZE").Error)
				cost = database.PostgresRows
			}
			count, seen := cost(t, db), 0
			pool := watched{db.Read.Statement.ConnPool, func(query string, args []any) {
				seen++
				if n := count(query, args); n > mostRead[db.Dialect] {
					t.Errorf("a query costs %d, want at most %d: %s\n%v", n, mostRead[db.Dialect], query, args)
				}
			}}
			db.Read = db.Read.Session(&gorm.Session{NewDB: true})
			db.Read.Statement.ConnPool = pool
			readAccounts(t, engine, authstore.New(db, nil, nil))
			if seen < 15 {
				t.Errorf("%d queries were seen, want at least 15", seen)
			}
		})
	}
}

func readAccounts(t *testing.T, engine string, i *authstore.Identity) {
	t.Helper()
	ctx := t.Context()
	note := func(_ any, err error) {
		t.Helper()
		must.Do(t, err)
	}
	filters := []account.UserFilter{{}, {University: "U7"}}
	if engine == "sqlite" { // Postgres searches some thousands before it uses an index
		filters = append(filters, account.UserFilter{Search: "u777@", InNames: true}, account.UserFilter{Search: "u777@", University: "U7"})
	}
	for _, f := range filters {
		note(i.ListUsers(ctx, f, 9_000, 20))
	}
	day := time.Unix(5_000_000, 0)
	for _, f := range []account.AuditFilter{
		{}, {User: 7}, {Action: "login"}, {User: 7, Action: "login"}, {Since: day}, {Until: day}, {Since: day, User: 7}, {Since: day, Until: day.Add(time.Hour), Action: "login"},
	} {
		note(i.ListAuditEntries(ctx, f, 0, 20))
	}
	note(i.ListGrants(ctx, 7))
	note(i.ListGrantees(ctx, "c1", 0, 20))
	note(i.ListIdentities(ctx, 7))
	note(i.ListPasskeys(ctx, 7))
	note(i.ListOpenInvitations(ctx, day))
	for _, f := range []account.PersonFilter{{Email: "u77@a.edu"}, {ExternalID: "x77"}, {ID: 77}} { // all people are counted
		_, _, err := i.ListPeople(t.Context(), f, 0, 20)
		must.Do(t, err)
	}
	note(i.ListDueDeletions(ctx, day, 20))
	note(i.ListDeleted(ctx, day, 0, 20))
	note(i.FindUserByEmail(ctx, "u777@a.edu"))
	note(i.FindUser(ctx, 777))
}

type watched struct {
	gorm.ConnPool
	see func(string, []any)
}

func (w watched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.see(query, args)
	return w.ConnPool.QueryContext(ctx, query, args...)
}
