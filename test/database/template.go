package database

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// template is a migrated database, made once for each set of migrations, because copying
// it takes a fraction of the time of migrating.
type template struct {
	once sync.Once
	file []byte // SQLite
	name string // Postgres
	err  error

	mu    sync.Mutex
	empty []reusable // for PostgresReused
}

// origin identifies migrations. The tests of migrating use the same name with different
// folders.
type origin struct {
	name string
	from fs.FS
}

var (
	templatesMu sync.Mutex
	templates   = map[gormstore.Dialect]map[[maxOrigins]origin]*template{
		gormstore.SQLite: {}, gormstore.Postgres: {},
	}
)

// maxOrigins is more than the number of components.
const maxOrigins = 8

// templateOf returns the template of these migrations, nil if there are none or their
// file systems cannot be compared.
func templateOf(d gormstore.Dialect, all []gormstore.Migrations) *template {
	var key [maxOrigins]origin
	if len(all) == 0 || len(all) > len(key) {
		return nil
	}
	for i, m := range all {
		if !reflect.TypeOf(m.FS).Comparable() {
			return nil
		}
		key[i] = origin{m.Name, m.FS}
	}
	templatesMu.Lock()
	defer templatesMu.Unlock()
	if templates[d][key] == nil {
		templates[d][key] = &template{}
	}
	return templates[d][key]
}

// sqliteCopy writes a copy of the template to path.
func (m *template) sqliteCopy(path string, all []gormstore.Migrations) error {
	m.once.Do(func() { m.file, m.err = migratedFile(all) })
	if m.err != nil {
		return m.err
	}
	return os.WriteFile(path, m.file, 0o600)
}

func migratedFile(all []gormstore.Migrations) ([]byte, error) {
	dir, err := os.MkdirTemp("", "octavo-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "octavo.db")
	if err := migrate("sqlite:"+path, all); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return nil, fmt.Errorf("%s still has a write-ahead log after it was closed", path)
	}
	return os.ReadFile(path)
}

// postgresName returns the name of the template on the tests' server, creating it once.
func (m *template) postgresName(t testing.TB, all []gormstore.Migrations) string {
	t.Helper()
	m.once.Do(func() {
		m.name = databaseName()
		administer(t, "CREATE DATABASE "+m.name)
		m.err = migrate(serverDSN(t, m.name), all)
	})
	if m.err != nil {
		t.Fatal(m.err)
	}
	return m.name
}

// migrate brings the database to the schema of the migrations and closes it.
func migrate(dsn string, all []gormstore.Migrations) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := gormstore.Open(ctx, dsn, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return err
	}
	if err := db.Migrate(ctx, all...); err != nil {
		_ = db.Close()
		return err
	}
	return db.Close()
}
