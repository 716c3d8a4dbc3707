package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// InLine is how many wait for their turn to write.
func (db *DB) InLine() int {
	db.turns.mu.Lock()
	defer db.turns.mu.Unlock()
	return len(db.turns.line)
}

// Shared reports whether two parts are or were in one transaction.
func Shared(a, b *gorm.DB) bool {
	return a.Statement.ConnPool.(*transaction).work == b.Statement.ConnPool.(*transaction).work
}

// Patience is how long a writer waits for its turn.
const Patience = patience

// Turns is the line of writers without a database.
type Turns = turns

// Take waits for the turn.
func Take(t *Turns, ctx context.Context) error { //nolint:revive // the line is what it is about
	_, err := t.take(ctx)
	return err
}

// TakeTime lets groups take in others for as long as somebody comes.
func (db *DB) TakeTime() { db.groupTime = time.Hour }

// ConfigureSQLite is what comes before the first connection.
func ConfigureSQLite() error { return configureSQLite() }

// PageCaches are page caches as SQLite calls them.
type PageCaches struct {
	Create    func(tls *libc.TLS, pageSize, extraSize, purgeable int32) uintptr
	Destroy   func(tls *libc.TLS, cache uintptr)
	Resize    func(tls *libc.TLS, cache uintptr, pages int32)
	PageCount func(tls *libc.TLS, cache uintptr) int32
	Fetch     func(tls *libc.TLS, cache uintptr, number uint32, create int32) uintptr
	Unpin     func(tls *libc.TLS, cache, page uintptr, discard int32)
	Rekey     func(tls *libc.TLS, cache, page uintptr, from, to uint32)
	Truncate  func(tls *libc.TLS, cache uintptr, from uint32)
	Shrink    func(tls *libc.TLS, cache uintptr)
}

// OwnCaches are those that SQLite uses here, PlatformCaches those that it would.
func OwnCaches() PageCaches { return pageCaches(&ownCaches) }

// PlatformCaches are those that SQLite would use by itself.
func PlatformCaches() PageCaches { return pageCaches(&platformCaches) }

func pageCaches(m *sqlite3.Tsqlite3_pcache_methods2) PageCaches {
	return PageCaches{
		Create:    function[func(tls *libc.TLS, pageSize, extraSize, purgeable int32) uintptr](m.FxCreate),
		Destroy:   function[func(tls *libc.TLS, cache uintptr)](m.FxDestroy),
		Resize:    function[func(tls *libc.TLS, cache uintptr, pages int32)](m.FxCachesize),
		PageCount: function[func(tls *libc.TLS, cache uintptr) int32](m.FxPagecount),
		Fetch:     function[func(tls *libc.TLS, cache uintptr, number uint32, create int32) uintptr](m.FxFetch),
		Unpin:     function[func(tls *libc.TLS, cache, page uintptr, discard int32)](m.FxUnpin),
		Rekey:     function[func(tls *libc.TLS, cache, page uintptr, from, to uint32)](m.FxRekey),
		Truncate:  function[func(tls *libc.TLS, cache uintptr, from uint32)](m.FxTruncate),
		Shrink:    function[func(tls *libc.TLS, cache uintptr)](m.FxShrink),
	}
}

func (c *pageCache) slabBytes() int { return c.room / c.layout.slots * int(c.layout.slab) }

// SlabBytes is how much memory a cache has asked for.
func SlabBytes(cache uintptr) int { return at[pageCache](cache).slabBytes() }

// AllSlabBytes is how much memory all caches have asked for.
func AllSlabBytes() (sum int) {
	cachesMu.Lock()
	defer cachesMu.Unlock()
	for c := range caches {
		sum += c.slabBytes()
	}
	return sum
}

// CheckCopy compares a copy of a database with the rows that it should have.
var CheckCopy = checkCopy
