package gormstore

import "modernc.org/libc"

// pageCache keeps the pages of one database for one connection; nobody else uses it.
// Pages are known by their number. One that SQLite holds is pinned: it stays where it
// is. The others are idle, and what has been idle for longest makes room when there are
// as many pages as the limit says.
//
// The bytes of the pages lie in slabs outside of Go's heap; slots say what is in them.
// They refer to one another by their place in the slice, so that nothing here is a
// pointer but the slabs.
type pageCache struct {
	layout    slabLayout
	purgeable bool // if not, pages go only when SQLite says so
	limit     int  // pages; those pinned may be more

	slots   []slot
	slabs   []slab
	buckets []uint32 // the first slot of each, none if empty; a power of two of them
	room    int      // slots that have memory
	held    int      // pages, of which
	idle    int      // are not pinned
	highest uint32   // no page has a higher number
}

// slot is room for one page.
type slot struct {
	number        uint32 // of the page; 0 if there is none
	next          uint32 // in the same bucket
	before, after uint32 // in one of the lists, or itself
	page          uintptr
}

// The first slots are the ends of two rings: of idle pages, the latest first, and of
// slots without a page.
const (
	idleRing  = 0
	freeRing  = 1
	firstSlot = 2
	none      = 0 // instead of a slot
)

func newPageCache(pageSize, extraSize int, purgeable bool) *pageCache {
	return &pageCache{
		layout:    layOut(pageSize, extraSize),
		purgeable: purgeable,
		slots:     []slot{{before: idleRing, after: idleRing}, {before: freeRing, after: freeRing}},
		buckets:   make([]uint32, 64),
	}
}

// fetch gives a page and pins it. One that is not there is made if create says so: 1 if
// that is easy, 2 by all means. It is 0 if there is none.
func (c *pageCache) fetch(tls *libc.TLS, number uint32, create int32) uintptr {
	i := c.find(number)
	if i != none {
		c.pin(i)
		return c.slots[i].page
	}
	if create == 0 || create == 1 && c.held-c.idle >= c.limit*9/10 || !c.makeRoom(tls) {
		return 0
	}
	i = c.slots[freeRing].after
	c.unlink(i)
	c.enter(i, number)
	c.held++
	c.slabs[c.slabOf(i)].held++
	c.layout.initialise(c.slots[i].page, i)
	return c.slots[i].page
}

// makeRoom reports whether there is a slot without a page.
func (c *pageCache) makeRoom(tls *libc.TLS) bool {
	if c.purgeable && c.idle > 0 && c.held >= c.limit {
		c.drop(tls, c.slots[idleRing].before)
	}
	if c.slots[freeRing].after != freeRing || c.grow(tls) {
		return true
	}
	if c.purgeable && c.idle > 0 {
		c.drop(tls, c.slots[idleRing].before)
	}
	return c.slots[freeRing].after != freeRing
}

// unpin lets a page go: it is idle from now on, or gone.
func (c *pageCache) unpin(tls *libc.TLS, i uint32, discard bool) {
	if discard || c.purgeable && c.held > c.limit {
		c.drop(tls, i)
		return
	}
	c.link(i, idleRing)
	c.idle++
}

// pin takes a page out of the idle ones, if it is there.
func (c *pageCache) pin(i uint32) {
	if c.slots[i].after != i {
		c.unlink(i)
		c.idle--
	}
}

// rekey gives a page another number; who had that is gone.
func (c *pageCache) rekey(tls *libc.TLS, i, number uint32) {
	if other := c.find(number); other != none && other != i {
		c.drop(tls, other)
	}
	c.leave(i)
	c.enter(i, number)
}

// truncate drops all pages from a number on, pinned or not.
func (c *pageCache) truncate(tls *libc.TLS, from uint32) {
	from = max(from, 1)
	if from > c.highest {
		return
	}
	for i := firstSlot; i < len(c.slots); i++ {
		if c.slots[i].number >= from {
			c.drop(tls, uint32(i))
		}
	}
	c.highest = from - 1
}

// resize sets the limit and keeps it at once, as far as pages are idle.
func (c *pageCache) resize(tls *libc.TLS, limit int) {
	if !c.purgeable {
		return
	}
	c.limit = limit
	for c.idle > 0 && c.held > c.limit {
		c.drop(tls, c.slots[idleRing].before)
	}
	for s := range c.slabs {
		c.releaseSpare(tls, s)
	}
}

// shrink gives back all memory that is not pinned.
func (c *pageCache) shrink(tls *libc.TLS) {
	limit := c.limit
	c.resize(tls, 0)
	c.limit = limit
}

// drop makes a slot free, pinned or not.
func (c *pageCache) drop(tls *libc.TLS, i uint32) {
	c.pin(i)
	c.leave(i)
	c.link(i, freeRing)
	c.held--
	s := c.slabOf(i)
	c.slabs[s].held--
	c.releaseSpare(tls, s)
}

// link puts a slot that is in no ring at the front of one.
func (c *pageCache) link(i, ring uint32) {
	first := c.slots[ring].after
	c.slots[i].before, c.slots[i].after = ring, first
	c.slots[first].before, c.slots[ring].after = i, i
}

func (c *pageCache) unlink(i uint32) {
	s := &c.slots[i]
	c.slots[s.before].after, c.slots[s.after].before = s.after, s.before
	s.before, s.after = i, i
}

func (c *pageCache) bucket(number uint32) *uint32 {
	return &c.buckets[number&uint32(len(c.buckets)-1)]
}

func (c *pageCache) find(number uint32) uint32 {
	i := *c.bucket(number)
	for i != none && c.slots[i].number != number {
		i = c.slots[i].next
	}
	return i
}

// enter makes a slot known by the number of its page.
func (c *pageCache) enter(i, number uint32) {
	if c.held >= len(c.buckets) {
		c.spread()
	}
	b := c.bucket(number)
	c.slots[i].number, c.slots[i].next = number, *b
	*b = i
	c.highest = max(c.highest, number)
}

func (c *pageCache) leave(i uint32) {
	b := c.bucket(c.slots[i].number)
	for *b != i {
		b = &c.slots[*b].next
	}
	*b = c.slots[i].next
	c.slots[i].number = 0
}

// spread doubles the buckets.
func (c *pageCache) spread() {
	c.buckets = make([]uint32, 2*len(c.buckets))
	for i := firstSlot; i < len(c.slots); i++ {
		if s := &c.slots[i]; s.number != 0 {
			b := c.bucket(s.number)
			s.next, *b = *b, uint32(i)
		}
	}
}
