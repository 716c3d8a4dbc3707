package gormstore

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// With synchronous FULL, every acknowledged write survives a power failure. The writer
// checkpoints every 6,000 pages instead of SQLite's 1,000, because many pages are
// written repeatedly, and each checkpoint waits for the disk.
var sqlitePragmas = []string{
	"busy_timeout(10000)",
	"journal_mode(WAL)",
	"synchronous(FULL)",
	"foreign_keys(ON)",
	"temp_store(MEMORY)",
	"wal_autocheckpoint(6000)",
}

// The limits of all connections' page caches, in kilobytes. Larger caches hardly save
// processor time, because reading a page from the operating system's cache costs a
// microsecond. mmap_size stays 0, because mapped pages count as resident memory once for
// each connection, hundreds of megabytes for a large database.
const (
	writerCache  = 8_000
	readersCache = 28_000 // of all readers together
	maxReaders   = 32     // with more, each would have too small a cache
)

func openSQLite(path string, config *gorm.Config) (*DB, error) {
	if err := createOwnerOnly(path); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	write, err := openSQLitePool(config, sqliteDSN(path, "immediate", cacheSize(writerCache)))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	readers := min(max(4, 2*runtime.GOMAXPROCS(0)), maxReaders)
	read, err := openSQLitePool(config, sqliteDSN(path, "deferred", "query_only(ON)", cacheSize(readersCache/readers)))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	read.SetConnMaxIdleTime(5 * time.Minute)
	db, err := newDB(SQLite, write, read, func(pool *sql.DB) gorm.Dialector { return dialector{pool} }, config)
	if err != nil {
		return nil, err
	}
	db.writer = groupcommit.Shared(write, mayEndTransaction)
	return db, nil
}

// createOwnerOnly creates a missing file with permissions for its owner only, because it
// will contain hashes and mails. SQLite gives -wal and -shm the same permissions.
func createOwnerOnly(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator chose it
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func sqliteDSN(path, lock string, more ...string) string {
	q := url.Values{"_txlock": {lock}, "_pragma": append(more, sqlitePragmas...)}
	return sqliteFile(path) + "?" + q.Encode()
}

func cacheSize(kilobytes int) string { return fmt.Sprintf("cache_size(-%d)", kilobytes) }

// sqliteFile returns the URI of a file for SQLite. Unescaped, ?, # or % would name another
// file, a leading // a server, and :memory: no file at all.
func sqliteFile(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func isSQLiteUnique(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// IsNoDatabase reports that the file to open is none of SQLite's.
func IsNoDatabase(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_NOTADB }

// isSQLiteBusy reports that another connection holds a lock, in every variant of the code.
func isSQLiteBusy(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY }

// IsReadOnly reports that a database refused to write because its file or its server is read-only.
func IsReadOnly(err error) bool {
	return isReadOnly(err) || sqliteCode(err)&0xff == sqlite3.SQLITE_READONLY
}

// isSQLiteUnavailable reports that another process holds a lock or that the disk is full,
// failing or read-only.
func isSQLiteUnavailable(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}

// mayEndTransaction reports every SQLite error except a constraint violation, which undoes
// only its own statement.
func mayEndTransaction(err error) bool {
	code := sqliteCode(err) & 0xff
	return code != 0 && code != sqlite3.SQLITE_CONSTRAINT
}
