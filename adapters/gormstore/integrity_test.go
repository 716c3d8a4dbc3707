package gormstore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

var allMigrations = []gormstore.Migrations{outboxstore.Migrations, workstore.Migrations, authstore.Migrations, marketstore.Migrations, inboxstore.Migrations}

func onEachWithAll(t *testing.T, test func(*testing.T, *gormstore.DB)) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.Postgres,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, allMigrations...)) })
	}
}

// made lists the tables and named indexes that the migrations created.
var made = map[gormstore.Dialect]string{
	gormstore.SQLite: `SELECT m.type || ' ' || m.name FROM sqlite_master m JOIN pragma_table_list l ON l.name = m.tbl_name
		WHERE m.type IN ('table', 'index') AND m.sql IS NOT NULL AND l.type <> 'shadow' AND m.name NOT LIKE 'sqlite_%'`,
	gormstore.Postgres: `SELECT CASE WHEN c.relkind IN ('r', 'p') THEN 'table ' ELSE 'index ' END || c.relname FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'i', 'I') AND NOT (c.relkind = 'i' AND c.relispartition)
		AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = c.oid AND contype IN ('p', 'u'))`,
}

func TestTheExpectedTablesAndIndexesAreThoseThatMigrationsCreate(t *testing.T) {
	onEachWithAll(t, func(t *testing.T, db *gormstore.DB) {
		var want, got []string
		must.Do(t, db.Read.Raw(made[db.Dialect]).Scan(&want).Error)
		for _, m := range allMigrations {
			e := must.Get(m.Expected(db.Dialect))(t)
			for _, table := range e.Tables {
				got = append(got, "table "+table)
			}
			for _, index := range e.Indexes {
				got = append(got, "index "+index)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s is created but not expected", name)
			}
		}
		for _, name := range got {
			if !slices.Contains(want, name) {
				t.Errorf("%s is expected but not created", name)
			}
		}
	})
}

func TestTheIntegrityCheckFindsExactlyTheDamage(t *testing.T) {
	for name, c := range map[string]struct {
		sqlite, postgres []string
		says             string
	}{
		"nothing":  {},
		"a table":  {[]string{"DROP TABLE carts"}, []string{"DROP TABLE carts CASCADE"}, "table carts"},
		"an index": {[]string{"DROP INDEX orders_live"}, []string{"DROP INDEX orders_live"}, "index orders_live"},
		"an index with a wrong entry": {
			[]string{"PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, 'DESC', 'ASC') || ' AND email = ''nobody''' WHERE name = 'users_owners'",
				"PRAGMA writable_schema = RESET", "INSERT INTO users (id, email, password_hash, role, lang, created_at, epoch) VALUES (1, 'a@b.edu', '', 2, 'EN', 0, 0)",
				"PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, ' AND email = ''nobody''', '') WHERE name = 'users_owners'", "PRAGMA writable_schema = RESET"},
			[]string{"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_owners'::regclass"}, "users_owners",
		},
		"the full text index": {[]string{"INSERT INTO book_search (rowid, terms) VALUES (1, 'calculus')", "DELETE FROM book_search_data WHERE id > 10"}, nil, "book_search"},
		"a broken foreign key": {
			[]string{"PRAGMA foreign_keys = OFF", "INSERT INTO sessions (id, user_id, epoch, secret, half, n, seen_n, rotated_at, created_at, last_seen, idle, until, ip, user_agent, browser, os, device) VALUES (1, 7, 0, '', '', 0, 0, 0, 0, 0, 0, 0, '', '', '', '', '')"},
			nil, "sessions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWithAll(t, func(t *testing.T, db *gormstore.DB) {
				statements := map[gormstore.Dialect][]string{gormstore.SQLite: c.sqlite, gormstore.Postgres: c.postgres}[db.Dialect]
				write, _ := db.SQL()
				for _, statement := range statements {
					if _, err := write.ExecContext(t.Context(), statement); err != nil {
						t.Fatalf("%s: %v", statement, err)
					}
				}
				damage, _ := must.Get2(db.CheckIntegrity(t.Context(), allMigrations...))(t)
				if statements == nil && len(damage) > 0 || statements != nil && !strings.Contains(strings.Join(damage, "\n"), c.says) {
					t.Errorf("found %q", damage)
				}
			})
		})
	}
}

func TestAmcheckIsUsedIfItIsInstalled(t *testing.T) {
	db := database.Postgres(t, allMigrations...)
	if _, notes, err := db.CheckIntegrity(t.Context(), allMigrations...); err != nil || len(notes) != 1 {
		t.Errorf("without it: %q, %v", notes, err)
	}
	if err := db.Write.Exec("CREATE EXTENSION amcheck").Error; err != nil {
		t.Skipf("this Postgres has no amcheck: %v", err)
	}
	if damage, notes, err := db.CheckIntegrity(t.Context(), allMigrations...); err != nil || len(damage)+len(notes) > 0 {
		t.Errorf("with it: %q, %q, %v", damage, notes, err)
	}
}
