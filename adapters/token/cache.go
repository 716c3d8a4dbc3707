package token

import (
	"crypto/sha256"
	"sync"
)

// cache holds verified tokens in two generations of half its size. When the young
// generation is full it becomes the old one, and the old one is dropped. A hit in the
// old generation moves the token to the young one.
type cache[C any] struct {
	half       int
	mu         sync.Mutex
	young, old map[[sha256.Size]byte]C
}

func newCache[C any](size int) *cache[C] {
	return &cache[C]{half: max(1, size/2), young: map[[sha256.Size]byte]C{}}
}

func (c *cache[C]) get(key [sha256.Size]byte) (C, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if claims, ok := c.young[key]; ok {
		return claims, true
	}
	claims, ok := c.old[key]
	if ok {
		c.add(key, claims)
	}
	return claims, ok
}

func (c *cache[C]) put(key [sha256.Size]byte, claims C) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, claims)
}

func (c *cache[C]) add(key [sha256.Size]byte, claims C) {
	if len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[[sha256.Size]byte]C, c.half)
	}
	c.young[key] = claims
}

// verified returns the claims of a token that was verified before, or verifies it.
func (c *cache[C]) verified(text string, verify func(string) (C, bool)) (claims C, ok bool) {
	if len(text) > maxToken {
		return claims, false
	}
	key := sha256.Sum256([]byte(text))
	if claims, ok = c.get(key); ok {
		return claims, true
	}
	if claims, ok = verify(text); ok {
		c.put(key, claims)
	}
	return claims, ok
}
