// Package readcache keeps, in the memory of the process, what the market's stores have read and what
// is the same for everybody: numbers of books, summaries of titles and suggestions. It is told what
// changes, and keeps nothing for longer than a minute in case it is not.
package readcache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/market"
)

// Keep is how long a cache may show what another process has changed, if it is not told.
const Keep = time.Minute

// maxEntries bounds the cache. An entry takes about 200 bytes, a list of suggestions up to 20 kB.
const maxEntries = 5_000

// Cache holds entries under what they show, so that a change removes all of them. It implements
// market.Purger.
type Cache struct {
	now  func() time.Time
	keep time.Duration

	mu      sync.Mutex
	entries map[market.SurrogateKey]map[any]*entry
	size    int
}

// entry is a value, or the promise of one that is being read.
type entry struct {
	read  chan struct{} // closed when the value or the error is there
	value any
	err   error
	until time.Time // zero while it is being read
}

// New returns an empty cache, which keeps nothing longer than keep.
func New(now func() time.Time, keep time.Duration) *Cache {
	return &Cache{now: now, keep: keep, entries: map[market.SurrogateKey]map[any]*entry{}}
}

// Purge implements market.Purger. What is being read is forgotten, too: whoever waits for it gets it,
// and the next reader reads again.
func (c *Cache) Purge(keys ...market.SurrogateKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		if k == market.Everything {
			clear(c.entries)
			c.size = 0
			return
		}
		c.forget(k)
	}
}

func (c *Cache) forget(shown market.SurrogateKey) {
	c.size -= len(c.entries[shown])
	delete(c.entries, shown)
}

// claim returns the entry of a key. If there is none, the caller has to read it and to call settle.
func (c *Cache) claim(shown market.SurrogateKey, key any) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e = c.entries[shown][key]; e != nil && (e.until.IsZero() || c.fresh(e.until)) {
		return e, false
	}
	if e == nil {
		c.makeRoom()
		c.size++
	}
	if c.entries[shown] == nil {
		c.entries[shown] = map[any]*entry{}
	}
	e = &entry{read: make(chan struct{}), err: errUnread}
	c.entries[shown][key] = e
	return e, true
}

// fresh reports whether what is kept until then may still be shown. A clock that was put back does not
// prolong that.
func (c *Cache) fresh(until time.Time) bool {
	left := until.Sub(c.now())
	return left > 0 && left <= c.keep
}

// makeRoom forgets the entries of some key if the cache is full.
func (c *Cache) makeRoom() {
	if c.size < maxEntries {
		return
	}
	for shown := range c.entries {
		c.forget(shown)
		return
	}
}

// errUnread is the error of an entry whose reader has not come to an end.
var errUnread = errors.New("read cache: not read")

// settle gives an entry its value. An error is not kept.
func (c *Cache) settle(shown market.SurrogateKey, key any, e *entry, value any, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.value, e.err, e.until = value, err, c.now().Add(c.keep)
	close(e.read)
	if err == nil || c.entries[shown][key] != e {
		return
	}
	delete(c.entries[shown], key)
	c.size--
	if len(c.entries[shown]) == 0 {
		delete(c.entries, shown)
	}
}

// get returns what read returns. Of callers at the same time one reads; the others wait for it, and
// read themselves if it fails.
func get[T any](ctx context.Context, c *Cache, shown market.SurrogateKey, key any, read func() (T, error)) (T, error) {
	e, mine := c.claim(shown, key)
	if !mine {
		select {
		case <-e.read:
		case <-ctx.Done():
		}
		if v, ok := e.known(); ok {
			return v.(T), nil
		}
		return read()
	}
	var v T
	err := errUnread
	defer func() { c.settle(shown, key, e, v, err) }()
	v, err = read()
	return v, err
}

// known returns the value if it has been read.
func (e *entry) known() (any, bool) {
	select {
	case <-e.read:
		return e.value, e.err == nil
	default:
		return nil, false
	}
}
