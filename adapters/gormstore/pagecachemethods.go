package gormstore

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// The driver's SQLite is made so that the page caches of all connections are one: one
// lock, one limit and one order in which pages go, whoever read them, and the driver's
// allocator gives 8 KiB for a page of 4. SQLite takes another cache in its place, by
// SQLITE_CONFIG_PCACHE2: here each connection has its own.
var (
	platformCaches sqlite3.Tsqlite3_pcache_methods2
	ownCaches      sqlite3.Tsqlite3_pcache_methods2

	// SQLite has only the addresses of caches, which the collector does not see.
	cachesMu sync.Mutex
	caches   = map[*pageCache]struct{}{}
)

// replacePageCache keeps the start and the end of the platform's caches, for they
// also make the lock under which SQLite counts other memory.
func replacePageCache(tls *libc.TLS) int32 {
	if code := configure(tls, sqlite3.SQLITE_CONFIG_GETPCACHE2, &platformCaches); code != sqlite3.SQLITE_OK {
		return code
	}
	ownCaches = sqlite3.Tsqlite3_pcache_methods2{
		FiVersion:   1,
		FpArg:       platformCaches.FpArg,
		FxInit:      platformCaches.FxInit,
		FxShutdown:  platformCaches.FxShutdown,
		FxCreate:    address(createCache),
		FxCachesize: address(resizeCache),
		FxPagecount: address(countPages),
		FxFetch:     address(fetchPage),
		FxUnpin:     address(unpinPage),
		FxRekey:     address(rekeyPage),
		FxTruncate:  address(truncateCache),
		FxDestroy:   address(destroyCache),
		FxShrink:    address(shrinkCache),
	}
	return configure(tls, sqlite3.SQLITE_CONFIG_PCACHE2, &ownCaches)
}

func createCache(_ *libc.TLS, pageSize, extraSize, purgeable int32) uintptr {
	c := newPageCache(int(pageSize), int(extraSize), purgeable != 0)
	cachesMu.Lock()
	defer cachesMu.Unlock()
	caches[c] = struct{}{}
	return uintptr(unsafe.Pointer(c)) //nolint:gosec // kept alive by caches
}

func destroyCache(tls *libc.TLS, cache uintptr) {
	c := at[pageCache](cache)
	c.free(tls)
	cachesMu.Lock()
	defer cachesMu.Unlock()
	delete(caches, c)
}

func resizeCache(tls *libc.TLS, cache uintptr, pages int32) {
	at[pageCache](cache).resize(tls, int(pages))
}

func countPages(_ *libc.TLS, cache uintptr) int32 { return int32(at[pageCache](cache).held) }

func fetchPage(tls *libc.TLS, cache uintptr, number uint32, create int32) uintptr {
	return at[pageCache](cache).fetch(tls, number, create)
}

func unpinPage(tls *libc.TLS, cache, page uintptr, discard int32) {
	at[pageCache](cache).unpin(tls, slotAt(page), discard != 0)
}

func rekeyPage(tls *libc.TLS, cache, page uintptr, _, number uint32) {
	at[pageCache](cache).rekey(tls, slotAt(page), number)
}

func truncateCache(tls *libc.TLS, cache uintptr, from uint32) {
	at[pageCache](cache).truncate(tls, from)
}

func shrinkCache(tls *libc.TLS, cache uintptr) { at[pageCache](cache).shrink(tls) }
