package gormstore

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// GatheringFiles is what a data source asks for to have frames of the log gathered.
const GatheringFiles = gatheringFiles

// onWrite says how many bytes of a write may reach a file; fewer than all is a full disk.
var onWrite func(file int32, size int) int

// OnWrite asks allow before SQLite writes to any file, until the test ends.
func OnWrite(t *testing.T, allow func(file int32, size int) int) {
	t.Helper()
	replaceWrite(t, address(writeAllowed))
	onWrite = allow
	t.Cleanup(func() { replaceWrite(t, 0) })
}

func replaceWrite(t *testing.T, write uintptr) {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("pwrite")
	if err != nil {
		t.Fatal(err)
	}
	defer libc.Xfree(tls, name)
	replace := function[func(*libc.TLS, uintptr, uintptr, uintptr) int32](platformFiles.FxSetSystemCall)
	if code := replace(tls, 0, name, write); code != sqlite3.SQLITE_OK {
		t.Fatalf("replace how SQLite writes: code %d", code)
	}
}

func writeAllowed(tls *libc.TLS, file int32, data uintptr, size libc.Tsize_t, offset libc.Toff_t) libc.Tssize_t {
	allowed := onWrite(file, int(size))
	if allowed == 0 {
		*at[int32](libc.X__errno_location(tls)) = int32(syscall.ENOSPC)
		return -1
	}
	return libc.Xpwrite(tls, file, data, libc.Tsize_t(allowed), offset)
}

// Log is a log that a connection has open, without SQLite above it.
type Log struct {
	tls      *libc.TLS
	file     uintptr
	database *databaseFile
}

// OpenLog makes the log of a database that needs no file.
func OpenLog(t *testing.T, path string) *Log {
	t.Helper()
	if err := os.WriteFile(filepath.Clean(path[:len(path)-len("-wal")]), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := &Log{tls: libc.NewTLS(), database: &databaseFile{}}
	l.file = libc.Xcalloc(l.tls, 1, libc.Tsize_t(ownFiles.FszOsFile))
	name, err := libc.CString(path + "\x00\x00")
	if err != nil {
		t.Fatal(err)
	}
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](platformFiles.FxOpen)
	const flags = sqlite3.SQLITE_OPEN_WAL | sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE
	if code := open(l.tls, uintptr(unsafe.Pointer(platformFiles)), name, l.file, flags, 0); code != sqlite3.SQLITE_OK {
		t.Fatalf("open %s: code %d", path, code)
	}
	l.database.gather(l.file)
	t.Cleanup(func() {
		function[func(*libc.TLS, uintptr) int32](l.methods().FxClose)(l.tls, l.file)
		libc.Xfree(l.tls, name)
		libc.Xfree(l.tls, l.file)
		l.tls.Close()
	})
	return l
}

func (l *Log) methods() *sqlite3.Tsqlite3_io_methods {
	return &openFileAt(l.file).methods
}

// Take and GiveBack are about the lock of writers.
func (l *Log) Take() { l.database.writing = true }

// GiveBack ends what Take began.
func (l *Log) GiveBack() { l.database.stopWriting() }

func (l *Log) Write(data []byte, offset int64) int32 {
	c := l.copied(len(data))
	defer libc.Xfree(l.tls, c)
	copy(unsafe.Slice(at[byte](c), len(data)), data)
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](l.methods().FxWrite)(l.tls, l.file, c, int32(len(data)), offset)
}

func (l *Log) Read(size int, offset int64) ([]byte, int32) {
	c := l.copied(size)
	defer libc.Xfree(l.tls, c)
	code := function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](l.methods().FxRead)(l.tls, l.file, c, int32(size), offset)
	return append([]byte(nil), unsafe.Slice(at[byte](c), size)...), code
}

func (l *Log) copied(size int) uintptr { return libc.Xmalloc(l.tls, libc.Tsize_t(size)) }

func (l *Log) Sync() int32 {
	return function[func(*libc.TLS, uintptr, int32) int32](l.methods().FxSync)(l.tls, l.file, sqlite3.SQLITE_SYNC_NORMAL)
}

func (l *Log) Truncate(size int) int32 {
	return function[func(*libc.TLS, uintptr, int64) int32](l.methods().FxTruncate)(l.tls, l.file, int64(size))
}

func (l *Log) Size() (int64, int32) {
	c := l.copied(8)
	defer libc.Xfree(l.tls, c)
	code := function[func(*libc.TLS, uintptr, uintptr) int32](l.methods().FxFileSize)(l.tls, l.file, c)
	return *at[int64](c), code
}
