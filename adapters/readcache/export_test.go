package readcache

// MaxEntries is the bound of a cache.
const MaxEntries = maxEntries

// Len returns how many entries a cache has, counted anew.
func (c *Cache) Len() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range c.entries {
		n += len(of)
	}
	if n != c.size {
		panic("the cache counts wrongly")
	}
	return n
}
