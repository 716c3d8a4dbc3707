package gormstore

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite locks a connection for each value that is read from it, in case threads
// share it. Ours never do: database/sql lends a connection to one goroutine at a time,
// and the driver forbids anything else, because the lock would not save it. SQLite calls
// this its multi-thread mode; the driver has no switch for it. SQLite lets its
// mutexes be wrapped, though: here those of connections are never locked, and all
// others are as they were.
var (
	platformMutexes sqlite3.Tsqlite3_mutex_methods // what SQLite uses by itself
	wrappedMutexes  sqlite3.Tsqlite3_mutex_methods
	initialised     bool
	unlocked        byte // its address stands for the mutex of any connection
)

func wrapMutexes(tls *libc.TLS) int32 {
	if code := configure(tls, sqlite3.SQLITE_CONFIG_GETMUTEX, &platformMutexes); code != sqlite3.SQLITE_OK {
		return code
	}
	wrappedMutexes = platformMutexes
	wrappedMutexes.FxMutexAlloc = address(allocMutex)
	wrappedMutexes.FxMutexFree = address(freeMutex)
	wrappedMutexes.FxMutexEnter = address(enterMutex)
	wrappedMutexes.FxMutexTry = address(tryMutex)
	wrappedMutexes.FxMutexLeave = address(leaveMutex)
	return configure(tls, sqlite3.SQLITE_CONFIG_MUTEX, &wrappedMutexes)
}

func ofConnection(mutex uintptr) bool { return mutex == uintptr(unsafe.Pointer(&unlocked)) } //nolint:gosec // only compared

// allocMutex knows a connection by its mutex being recursive: once SQLite is
// initialised, nothing else that is used here needs one.
func allocMutex(tls *libc.TLS, kind int32) uintptr {
	if kind == sqlite3.SQLITE_MUTEX_RECURSIVE && initialised {
		return uintptr(unsafe.Pointer(&unlocked)) //nolint:gosec // only compared
	}
	return function[func(*libc.TLS, int32) uintptr](platformMutexes.FxMutexAlloc)(tls, kind)
}

func freeMutex(tls *libc.TLS, mutex uintptr) {
	if !ofConnection(mutex) {
		function[func(*libc.TLS, uintptr)](platformMutexes.FxMutexFree)(tls, mutex)
	}
}

func enterMutex(tls *libc.TLS, mutex uintptr) {
	if !ofConnection(mutex) {
		function[func(*libc.TLS, uintptr)](platformMutexes.FxMutexEnter)(tls, mutex)
	}
}

func tryMutex(tls *libc.TLS, mutex uintptr) int32 {
	if ofConnection(mutex) {
		return sqlite3.SQLITE_OK
	}
	return function[func(*libc.TLS, uintptr) int32](platformMutexes.FxMutexTry)(tls, mutex)
}

func leaveMutex(tls *libc.TLS, mutex uintptr) {
	if !ofConnection(mutex) {
		function[func(*libc.TLS, uintptr)](platformMutexes.FxMutexLeave)(tls, mutex)
	}
}
