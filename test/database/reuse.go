package database

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// PostgresReused is Postgres for tests that change only rows, with migrations that leave their
// tables empty. It reuses the database of a test that has ended, with its connections, and deletes
// its rows. That takes a fraction of the time of creating, opening and dropping a database.
func PostgresReused(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
	t.Helper()
	Need(t)
	m := templateOf(gormstore.Postgres, all)
	if m == nil || !ownServer() {
		return Postgres(t, all...)
	}
	db := m.take()
	if db == nil {
		from, name := m.postgresName(t, all), databaseName()
		administer(t, "CREATE DATABASE "+name+" TEMPLATE "+from)
		db = mustOpen(t, serverDSN(t, name))
	}
	t.Cleanup(func() {
		if t.Failed() || !empty(t, db) { // a test that failed may have left anything behind
			_ = db.Close()
			return
		}
		m.giveBack(db)
	})
	return db
}

// take returns an empty database, nil if there is none.
func (m *template) take() (db *gormstore.DB) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.empty); n > 0 {
		db, m.empty = m.empty[n-1], m.empty[:n-1]
	}
	return db
}

func (m *template) giveBack(db *gormstore.DB) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.empty = append(m.empty, db)
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
// succeeded.
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
	if err := Empty(ctx, db); err != nil {
		t.Errorf("empty the database: %v", err)
		return false
	}
	return true
}

// Empty deletes every row of a Postgres database but the versions of its schema.
func Empty(ctx context.Context, db *gormstore.DB) error {
	write, _ := db.SQL()
	_, err := write.ExecContext(ctx, emptyAll)
	return err
}
