package database

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver behind sql.Open("pgx")

	"github.com/octavo-books/octavo/test/must"
)

var (
	serverOnce sync.Once
	serverURL  string
	errServer  error
	databases  atomic.Int64
)

// durable is set by Durable.
var durable atomic.Bool

// Durable makes the tests' server sync each commit to a disk, as a server in production does.
// Call it before anything else of this package.
func Durable() { durable.Store(true) }

// cached is set by Cached.
var cached atomic.Bool

// Cached gives the tests' server memory for all pages of a large database, so that what a query costs does not
// depend on what the system has cached. Call it before anything else of this package.
func Cached() { cached.Store(true) }

// freshDatabase creates a database, empty or from a template, and drops it after the
// test.
func freshDatabase(t testing.TB, template string) string {
	t.Helper()
	Need(t)
	name := databaseName()
	statement := "CREATE DATABASE " + name
	if template != "" {
		statement += " TEMPLATE " + template
	}
	administer(t, statement)
	t.Cleanup(func() { administer(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return serverDSN(t, name)
}

// awaitServer starts the tests' server once, unless POSTGRES_TEST_URL names one.
func awaitServer() error {
	serverOnce.Do(func() {
		if serverURL = os.Getenv("POSTGRES_TEST_URL"); ownServer() {
			serverURL, errServer = startPostgres()
		}
	})
	return errServer
}

// ownServer reports whether the server ends with the tests. Only then templates are used,
// because on another server nobody would drop them.
func ownServer() bool { return os.Getenv("POSTGRES_TEST_URL") == "" }

func databaseName() string {
	return fmt.Sprintf("octavo_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
}

// serverDSN returns the DSN of a database on the tests' server.
func serverDSN(t testing.TB, name string) string {
	t.Helper()
	u, err := url.Parse(serverURL)
	if err != nil {
		t.Fatalf("POSTGRES_TEST_URL: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

func administer(t testing.TB, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db := must.Get(sql.Open("pgx", serverURL))(t)
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}

// WaitForStandby makes commits on the tests' server wait for a standby of that name, "" for none, until the
// test ends. The server reads the setting a moment later. Only connections with
// synchronous_commit=on wait. It skips the test on a server that does not end with the tests.
func WaitForStandby(t testing.TB, name string) {
	t.Helper()
	Need(t)
	if !ownServer() {
		t.Skip("changes the settings of the server")
	}
	set := func(name string) {
		administer(t, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'")
		administer(t, "SELECT pg_reload_conf()")
	}
	set(name)
	t.Cleanup(func() { set("") })
}

// Deadlocks returns the number of deadlocks that Postgres has detected in the database of
// dsn. It ends the database's connections, because each reports its statistics then.
func Deadlocks(t testing.TB, dsn string) (n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	u := must.Get(url.Parse(dsn))(t)
	name := u.Path[1:]
	db := must.Get(sql.Open("pgx", serverURL))(t)
	defer func() { _ = db.Close() }()
	must.Get(db.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name))(t)
	for left := 1; left > 0; {
		err := db.QueryRowContext(ctx, `SELECT numbackends, deadlocks FROM pg_stat_database WHERE datname = $1`, name).Scan(&left, &n)
		if err != nil {
			t.Fatalf("count deadlocks: %v", err)
		}
	}
	return n
}
