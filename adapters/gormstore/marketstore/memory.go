package marketstore

import (
	"slices"
	"sync"
)

// maxRemembered bounds a memory: a megabyte or two.
const maxRemembered = 20_000

// memory remembers what is in a table for certain, from which nothing is ever deleted.
type memory[K comparable] struct {
	mu    sync.Mutex
	known map[K]bool
}

// unknown leaves of some keys those that may not be there yet.
func (m *memory[K]) unknown(keys []K) []K {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(keys, func(k K) bool { return m.known[k] })
}

func (m *memory[K]) remember(keys []K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known)+len(keys) > maxRemembered {
		m.known = make(map[K]bool)
	}
	for _, k := range keys {
		m.known[k] = true
	}
}
