package gormstore

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// slabSize is how many bytes a cache asks for at a time: the least that the driver's
// allocator gets from the system, but for what it writes before them itself.
const (
	slabSize  = 64<<10 - 64
	cacheLine = 64
)

// slab is memory for the pages of some slots in a row.
type slab struct {
	memory uintptr // 0 after it was given back
	held   int     // pages
}

// slabLayout says where in a slab things are, in bytes. A slot has the bytes of the page
// first, so that who reads beyond them finds nothing of another page, then the header,
// then what SQLite notes.
type slabLayout struct {
	page, slot, slab uintptr
	slots            int // in a slab
}

// pageHeader is what SQLite knows a page by. The system gives memory to a slab when
// it is written to first, so headers are written as pages come.
type pageHeader struct {
	sqlite3.Tsqlite3_pcache_page        // has to be first
	slot                         uint64 // a word, so that what follows is aligned everywhere
}

func layOut(pageSize, extraSize int) slabLayout {
	page := uintptr(pageSize)
	slot := (page + unsafe.Sizeof(pageHeader{}) + uintptr(extraSize) + cacheLine - 1) &^ (cacheLine - 1)
	slab := max(slabSize, slot+cacheLine)
	return slabLayout{page: page, slot: slot, slab: slab, slots: int((slab - cacheLine) / slot)}
}

// initialise writes the header of a page, and zeros where SQLite looks whether it is new.
func (l slabLayout) initialise(page uintptr, i uint32) {
	h := at[pageHeader](page)
	h.FpBuf = page - l.page
	h.FpExtra = page + unsafe.Sizeof(*h)
	h.slot = uint64(i)
	*at[uint64](h.FpExtra) = 0
}

// slotAt is where in its cache a page is.
func slotAt(page uintptr) uint32 { return uint32(at[pageHeader](page).slot) }

// at is what C has at an address. It must not be of Go's heap, or be kept there by
// somebody else.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) } //nolint:gosec // see above

func (c *pageCache) slabOf(i uint32) int { return int(i-firstSlot) / c.layout.slots }

// grow adds a slab, in the place of one that was given back if there is any.
func (c *pageCache) grow(tls *libc.TLS) bool {
	memory := libc.Xmalloc(tls, libc.Tsize_t(c.layout.slab))
	if memory == 0 {
		return false
	}
	s := 0
	for s < len(c.slabs) && c.slabs[s].memory != 0 {
		s++
	}
	if s == len(c.slabs) {
		c.slabs = append(c.slabs, slab{})
		c.slots = append(c.slots, make([]slot, c.layout.slots)...)
	}
	c.slabs[s].memory = memory
	c.room += c.layout.slots
	first := (memory + cacheLine - 1) &^ (cacheLine - 1)
	for n := c.layout.slots - 1; n >= 0; n-- {
		i := firstSlot + s*c.layout.slots + n
		c.slots[i].page = first + uintptr(n)*c.layout.slot + c.layout.page
		c.link(uint32(i), freeRing)
	}
	return true
}

// releaseSpare gives a slab without pages back, unless the limit asks for its slots.
func (c *pageCache) releaseSpare(tls *libc.TLS, s int) {
	empty := &c.slabs[s]
	if empty.memory == 0 || empty.held > 0 || c.room-c.layout.slots < c.limit {
		return
	}
	first := uint32(firstSlot + s*c.layout.slots)
	for i := first; i < first+uint32(c.layout.slots); i++ {
		c.unlink(i)
	}
	c.room -= c.layout.slots
	libc.Xfree(tls, empty.memory)
	empty.memory = 0
}

// free gives all memory back.
func (c *pageCache) free(tls *libc.TLS) {
	for _, s := range c.slabs {
		libc.Xfree(tls, s.memory)
	}
	c.slabs = nil
}
