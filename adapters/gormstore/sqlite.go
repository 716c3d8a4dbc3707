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

// Every acknowledged write survives the loss of power, hence synchronous FULL. The writer
// copies the log into the file every 6,000 pages instead of SQLite's 1,000: many pages are
// written again and again, and each copying waits for the disk.
var sqlitePragmas = []string{
	"busy_timeout(10000)",
	"journal_mode(WAL)",
	"synchronous(FULL)",
	"foreign_keys(ON)",
	"temp_store(MEMORY)",
	"wal_autocheckpoint(6000)",
}

// The page caches of all connections take these kilobytes at most. Larger ones hardly save
// processor time: reading a page again costs a microsecond while the operating system has
// it. Memory-mapping the file (mmap_size) stays off: mapped pages count as resident memory
// of the program, once for each connection, hundreds of megabytes beside a large database.
const (
	writerCache  = 8_000
	readerCaches = 28_000 // of all readers together
	mostReaders  = 32     // more would have too little each
)

func openSQLite(path string, config *gorm.Config) (*DB, error) {
	if err := createPrivate(path); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	write, err := openSQLitePool(config, sqliteDSN(path, "immediate", cacheSize(writerCache)))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	readers := min(max(4, 2*runtime.GOMAXPROCS(0)), mostReaders)
	read, err := openSQLitePool(config, sqliteDSN(path, "deferred", "query_only(ON)", cacheSize(readerCaches/readers)))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	read.SetConnMaxIdleTime(5 * time.Minute)
	db, err := assemble(SQLite, write, read, func(pool *sql.DB) gorm.Dialector { return dialector{pool} }, config)
	if err != nil {
		return nil, err
	}
	db.writer = groupcommit.Shared(write, mayEndTransaction)
	return db, nil
}

// createPrivate makes a file that is not there yet for the owner alone: hashes and
// mails will lie in it. SQLite gives -wal and -shm the permissions of the file.
func createPrivate(path string) error {
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

// sqliteFile names a file to SQLite, which takes a name for a URI: with ?, # or % in it
// for another file, with // before it for a server, and :memory: for none at all.
func sqliteFile(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// quoted is an identifier as SQL takes any.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// assemble puts GORM over two pools; with the same pool twice it is one GORM.
func assemble(d Dialect, write, read *sql.DB, over func(*sql.DB) gorm.Dialector, config *gorm.Config) (*DB, error) {
	db := &DB{Dialect: d, writePool: write, readPool: read, writer: groupcommit.Separate(write)}
	var err error
	if db.Write, err = gorm.Open(over(write), config); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if db.Read = db.Write; read == write {
		return db, nil
	}
	second := *config
	if db.Read, err = gorm.Open(over(read), &second); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
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

// isSQLiteBusy holds for every flavour of "somebody else holds the lock".
func isSQLiteBusy(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY }

// isSQLiteStuck holds while another process writes, and when the disk is full, fails or
// takes no writes.
func isSQLiteStuck(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}

// mayEndTransaction holds for every error of SQLite but a violated constraint,
// which only undoes its own statement.
func mayEndTransaction(err error) bool {
	code := sqliteCode(err) & 0xff
	return code != 0 && code != sqlite3.SQLITE_CONSTRAINT
}
