package graph

import (
	"container/list"
	"context"
	"strings"
	"sync"
)

// cache is an LRU cache of documents. It implements graphql.Cache.
type cache[V any] struct {
	mu    sync.Mutex
	size  int
	order *list.List // of entry[V], the newest first
	items map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
}

func newCache[V any](size int) *cache[V] {
	return &cache[V]{size: size, order: list.New(), items: map[string]*list.Element{}}
}

// Get returns a value and marks it as used.
func (c *cache[V]) Get(_ context.Context, key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[V]).value, true
}

// Add stores a value, unless its document is long or contains string literals: those
// may be passwords, and such a document is rarely sent twice.
func (c *cache[V]) Add(_ context.Context, key string, value V) {
	if len(key) > maxKeptDocument || strings.Contains(key, `"`) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		return
	}
	c.items[key] = c.order.PushFront(entry[V]{key, value})
	if c.order.Len() > c.size {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.items, last.Value.(entry[V]).key)
	}
}
