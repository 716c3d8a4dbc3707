package serving

import (
	"sync"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
)

// ruleSet is an immutable set of rules with their worker pools, in the order of the rules.
type ruleSet struct {
	pools []*sending.Pool
	byKey map[string]*sending.Pool

	mu      sync.RWMutex
	matches map[inbox.Subject][]*sending.Pool // a cache of matching
}

// maxMatches limits the cache, because senders choose events and actions.
const maxMatches = 4096

func newRuleSet(pools []*sending.Pool) *ruleSet {
	r := &ruleSet{pools: pools, byKey: make(map[string]*sending.Pool, len(pools)), matches: map[inbox.Subject][]*sending.Pool{}}
	for _, pool := range pools {
		r.byKey[pool.Rule.Key()] = pool
	}
	return r
}

// matching returns the pools of the rules that match. It caches the result, because
// comparing a thousand rules costs as much as storing a delivery.
func (r *ruleSet) matching(s inbox.Subject) []*sending.Pool {
	r.mu.RLock()
	pools, known := r.matches[s]
	r.mu.RUnlock()
	if known {
		return pools
	}
	for _, pool := range r.pools {
		if pool.Rule.Matches(s) {
			pools = append(pools, pool)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.matches) == maxMatches {
		clear(r.matches)
	}
	r.matches[s] = pools
	return pools
}
