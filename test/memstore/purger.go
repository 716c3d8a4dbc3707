package memstore

import (
	"slices"
	"sync"

	"github.com/octavo-books/octavo/application/market"
)

// Purger implements market.Purger. It notes what it is told.
type Purger struct {
	mu   sync.Mutex
	keys []market.SurrogateKey
}

// Purge implements market.Purger.
func (p *Purger) Purge(keys ...market.SurrogateKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, keys...)
}

// Purged returns all keys so far, in the order of the calls.
func (p *Purger) Purged() []market.SurrogateKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.keys)
}
