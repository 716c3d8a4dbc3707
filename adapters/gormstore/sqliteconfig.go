package gormstore

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// configureSQLite has to come before the first connection of the process: what it
// replaces is for all of them.
var configureSQLite = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	for _, step := range []func(*libc.TLS) int32{
		sqlite3.Xsqlite3_initialize, // settles which mutexes and caches are the platform's
		sqlite3.Xsqlite3_shutdown,
		wrapMutexes,
		replacePageCache,
		sqlite3.Xsqlite3_initialize,
		registerGatheringFiles,
	} {
		if code := step(tls); code != sqlite3.SQLITE_OK {
			return fmt.Errorf("configure SQLite: code %d", code)
		}
	}
	initialised = true
	return nil
})

// configure takes a package's variable: those never move.
func configure[M any](tls *libc.TLS, verb int32, methods *M) int32 {
	argument := uintptr(unsafe.Pointer(methods)) //nolint:gosec // a pointer as C sees it
	list := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(argument)))
	if list == 0 {
		return sqlite3.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, list)
	return sqlite3.Xsqlite3_config(tls, verb, libc.VaList(list, argument))
}

// address is a declared function as the driver keeps it among C's data; function is
// the way back.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) } //nolint:gosec // see above

func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) } //nolint:gosec // see above
