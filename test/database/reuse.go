package database

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/must"
)

// reusable is an empty database with its connections.
type reusable struct {
	name string
	db   *gormstore.DB
}

// dropsReused says that Main drops the reused databases of a server that outlives the tests.
var dropsReused bool

// Main runs the tests of a package that uses PostgresReused, for its TestMain. Without it, each
// test gets a database of its own on a server that POSTGRES_TEST_URL names.
func Main(m *testing.M) int {
	dropsReused = true
	code := m.Run()
	if !ownServer() {
		dropReused()
	}
	return code
}

// PostgresReused is Postgres for tests that change only rows, with migrations that leave their
// tables empty. It reuses the database of a test that has ended, with its connections, and deletes
// its rows. That takes a fraction of the time of creating, opening and dropping a database.
func PostgresReused(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
	t.Helper()
	Need(t)
	m := templateOf(gormstore.Postgres, all)
	if m == nil || !ownServer() && !dropsReused {
		return Postgres(t, all...)
	}
	r := m.take()
	if r.db == nil {
		r = m.another(t, all)
	}
	t.Cleanup(func() {
		if !t.Failed() && empty(t, r.db) {
			m.giveBack(r)
			return
		}
		_ = r.db.Close() // a test that failed may have left anything behind
		administer(t, "DROP DATABASE IF EXISTS "+r.name)
	})
	return r.db
}

// another creates a database, by copying the template if the server is the tests' own.
func (m *template) another(t testing.TB, all []gormstore.Migrations) reusable {
	t.Helper()
	if ownServer() {
		from, name := m.postgresName(t, all), databaseName()
		administer(t, "CREATE DATABASE "+name+" TEMPLATE "+from)
		return reusable{name, mustOpen(t, serverDSN(t, name))}
	}
	name := databaseName()
	administer(t, "CREATE DATABASE "+name)
	if err := migrate(serverDSN(t, name), all); err != nil {
		administer(t, "DROP DATABASE IF EXISTS "+name)
		t.Fatal(err)
	}
	return reusable{name, mustOpen(t, serverDSN(t, name))}
}

// take returns an empty database, none if there is none.
func (m *template) take() (r reusable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.empty); n > 0 {
		r, m.empty = m.empty[n-1], m.empty[:n-1]
	}
	return r
}

func (m *template) giveBack(r reusable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.empty = append(m.empty, r)
}

// dropReused drops the databases that the tests have given back.
func dropReused() {
	server, err := sql.Open("pgx", serverURL)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	for _, m := range templates[gormstore.Postgres] {
		for r := m.take(); r.db != nil; r = m.take() {
			_ = r.db.Close()
			_, _ = server.Exec("DROP DATABASE IF EXISTS " + r.name)
		}
	}
}

// emptyAll deletes every row but the versions of the schema. In the role of a replica the server
// checks no foreign keys, so the order of the tables does not matter.
const emptyAll = `DO $$
DECLARE
	one regclass;
BEGIN
	SET LOCAL session_replication_role = replica;
	FOR one IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'goose\_%' LOOP
		EXECUTE 'DELETE FROM ' || one;
	END LOOP;
END $$`

// empty waits for what the test has left running and deletes all rows. It reports whether that
// succeeded; an engine that only resembles Postgres may refuse it.
func empty(t testing.TB, db *gormstore.DB) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	write, read := db.SQL()
	for write.Stats().InUse+read.Stats().InUse > 0 {
		select {
		case <-ctx.Done():
			t.Error("the test has not closed a transaction")
			return false
		case <-time.After(time.Millisecond):
		}
	}
	err := Empty(ctx, db)
	if err != nil && ownServer() {
		t.Errorf("empty the database: %v", err)
	}
	return err == nil
}

// Empty deletes every row of a Postgres database but the versions of its schema.
func Empty(ctx context.Context, db *gormstore.DB) error {
	write, _ := db.SQL()
	return must.Err(write.ExecContext(ctx, emptyAll))
}
