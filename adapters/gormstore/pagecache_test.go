package gormstore_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"
	"unsafe"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"pgregory.net/rapid"
)

// cacheModel is what SQLite relies on, whatever cache it has: pages keep what was
// written to them while they are pinned, and after it for as long as they are found.
type cacheModel struct {
	gormstore.PageCaches
	tls       *libc.TLS
	cache     uintptr
	size      [2]int // of a page and of what is noted beside it
	purgeable bool
	exact     bool // the limit is this cache's alone
	limit     int
	pages     map[uint32]*modelPage
	stamp     uint64
}

type modelPage struct {
	handle uintptr
	stamp  uint64
	pinned bool
}

const lastPage = 400

func newCacheModel(t *rapid.T, caches gormstore.PageCaches, exact bool) *cacheModel {
	m := &cacheModel{PageCaches: caches, tls: libc.NewTLS(), exact: exact, pages: map[uint32]*modelPage{}}
	m.size = [2]int{512 << rapid.IntRange(0, 7).Draw(t, "page size"), 8 * rapid.IntRange(12, 40).Draw(t, "words beside it")}
	m.purgeable = rapid.Bool().Draw(t, "purgeable")
	purgeable := int32(0)
	if m.purgeable {
		purgeable = 1
	}
	m.cache = m.Create(m.tls, int32(m.size[0]), int32(m.size[1]), purgeable)
	m.Resize(t)
	return m
}

func (m *cacheModel) end() {
	m.Destroy(m.tls, m.cache)
	m.tls.Close()
}

func number(t *rapid.T) uint32 { return rapid.Uint32Range(1, lastPage).Draw(t, "number") }

// known draws the number of a page that may be there, if there are any.
func (m *cacheModel) known(t *rapid.T) uint32 {
	if len(m.pages) == 0 {
		return number(t)
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.pages))).Draw(t, "known")
}

// parts are the bytes of a page and those beside it, as SQLite sees them.
func (m *cacheModel) parts(handle uintptr) [2][]byte {
	page := **(**sqlite3.Tsqlite3_pcache_page)(unsafe.Pointer(&handle))
	return [2][]byte{
		unsafe.Slice(*(**byte)(unsafe.Pointer(&page.FpBuf)), m.size[0]),
		unsafe.Slice(*(**byte)(unsafe.Pointer(&page.FpExtra)), m.size[1]),
	}
}

func (m *cacheModel) fill(handle uintptr, stamp uint64) {
	for _, part := range m.parts(handle) {
		for at := 0; at < len(part); at += 8 {
			binary.NativeEndian.PutUint64(part[at:], stamp)
		}
	}
}

func (m *cacheModel) check(t *rapid.T, p *modelPage) {
	for _, part := range m.parts(p.handle) {
		for at := 0; at < len(part); at += 8 {
			if got := binary.NativeEndian.Uint64(part[at:]); got != p.stamp {
				t.Fatalf("a page has %x at %d, want %x", got, at, p.stamp)
			}
		}
	}
}

// Fetch asks for some in a row, in one of the three ways.
func (m *cacheModel) Fetch(t *rapid.T) {
	first, create := number(t), rapid.Int32Range(0, 2).Draw(t, "create")
	if create == 1 && !m.purgeable {
		create = 2 // as SQLite does
	}
	last := first + rapid.Uint32Range(0, 50).Draw(t, "more")
	for n := first; n <= last; n++ {
		m.fetch(t, n, create)
	}
}

func (m *cacheModel) fetch(t *rapid.T, n uint32, create int32) {
	known := m.pages[n]
	handle := m.PageCaches.Fetch(m.tls, m.cache, n, create)
	switch {
	case handle == 0 && create == 2:
		t.Fatalf("page %d is refused", n)
	case handle == 0 && known != nil && (known.pinned || !m.purgeable):
		t.Fatalf("page %d is lost", n)
	case handle == 0:
		delete(m.pages, n)
		return
	case binary.NativeEndian.Uint64(m.parts(handle)[1]) != 0:
		if known == nil || handle != known.handle {
			t.Fatalf("page %d is found, but it is not there", n)
		}
		known.pinned = true
		m.check(t, known)
		return
	case create == 0:
		t.Fatalf("page %d is made unasked", n)
	case known != nil && (known.pinned || !m.purgeable):
		t.Fatalf("page %d is made anew", n)
	}
	m.stamp += 1<<32 + 1
	m.fill(handle, m.stamp)
	m.pages[n] = &modelPage{handle, m.stamp, true}
}

// pinned draws a page that SQLite holds.
func (m *cacheModel) pinned(t *rapid.T) (uint32, *modelPage) {
	all := slices.DeleteFunc(slices.Sorted(maps.Keys(m.pages)), func(n uint32) bool { return !m.pages[n].pinned })
	if len(all) == 0 {
		t.Skip("no page is pinned")
	}
	n := rapid.SampledFrom(all).Draw(t, "pinned")
	return n, m.pages[n]
}

// Unpin lets some go at once: what one transaction has read.
func (m *cacheModel) Unpin(t *rapid.T) {
	if !m.purgeable {
		t.Skip("SQLite keeps such pages")
	}
	first, _ := m.pinned(t)
	last := first + rapid.Uint32Range(0, 50).Draw(t, "more")
	for n := first; n <= last; n++ {
		if p := m.pages[n]; p != nil && p.pinned {
			m.PageCaches.Unpin(m.tls, m.cache, p.handle, 0)
			p.pinned = false
		}
	}
}

// Discard drops a page.
func (m *cacheModel) Discard(t *rapid.T) {
	n, p := m.pinned(t)
	m.PageCaches.Unpin(m.tls, m.cache, p.handle, 1)
	delete(m.pages, n)
}

// Rekey moves a page; what was there is dropped before, by SQLite itself.
func (m *cacheModel) Rekey(t *rapid.T) {
	from, p := m.pinned(t)
	to := rapid.OneOf(rapid.Custom(m.known), rapid.Custom(number)).Draw(t, "to")
	if other := m.pages[to]; other != nil && other.pinned {
		t.Skip("SQLite moves no page over a pinned one")
	}
	if !m.exact {
		if there := m.PageCaches.Fetch(m.tls, m.cache, to, 0); there != 0 {
			m.PageCaches.Unpin(m.tls, m.cache, there, 1)
		}
	}
	m.PageCaches.Rekey(m.tls, m.cache, p.handle, from, to)
	delete(m.pages, from)
	m.pages[to] = p
}

// Truncate drops pages whether they are pinned or not.
func (m *cacheModel) Truncate(t *rapid.T) {
	from := rapid.OneOf(rapid.Custom(m.known), rapid.Custom(number)).Draw(t, "from")
	m.PageCaches.Truncate(m.tls, m.cache, from)
	for n := range m.pages {
		if n >= from {
			delete(m.pages, n)
		}
	}
}

// Resize changes the limit.
func (m *cacheModel) Resize(t *rapid.T) {
	m.limit = rapid.IntRange(0, lastPage/2).Draw(t, "limit")
	m.PageCaches.Resize(m.tls, m.cache, int32(m.limit))
}

// Shrink gives back what is not pinned.
func (m *cacheModel) Shrink(*rapid.T) { m.PageCaches.Shrink(m.tls, m.cache) }

// Check runs after every action.
func (m *cacheModel) Check(t *rapid.T) {
	pinned := 0
	for _, p := range m.pages {
		if p.pinned {
			pinned++
			m.check(t, p)
		}
	}
	count := int(m.PageCount(m.tls, m.cache))
	if count < pinned || count > len(m.pages) {
		t.Fatalf("%d pages, but %d are pinned and %d were not dropped", count, pinned, len(m.pages))
	}
	if m.exact && m.purgeable && count > max(m.limit, pinned) {
		t.Fatalf("%d pages, %d of them pinned, where %d may be kept", count, pinned, m.limit)
	}
	if m.exact && count == 0 && m.limit == 0 && gormstore.SlabBytes(m.cache) > 0 {
		t.Fatalf("no page, but %d bytes", gormstore.SlabBytes(m.cache))
	}
}

func TestPagesStayAsTheyAreForAsLongAsSQLiteHoldsThem(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	for name, caches := range map[string]gormstore.PageCaches{
		"in the caches of Octavo": gormstore.OwnCaches(),
		"in those of SQLite":      gormstore.PlatformCaches(),
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			m := newCacheModel(t, caches, name == "in the caches of Octavo")
			defer m.end()
			t.Repeat(map[string]func(*rapid.T){
				"fetch": m.Fetch, "fetch more": m.Fetch,
				"unpin": m.Unpin, "discard": m.Discard, "rekey": m.Rekey,
				"truncate": m.Truncate, "resize": m.Resize, "shrink": m.Shrink,
				"": m.Check,
			})
		}))
	}
}
