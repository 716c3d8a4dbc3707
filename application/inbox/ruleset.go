package inbox

import (
	"sync"

	"github.com/octavo-books/octavo/domain/webhook"
)

// ruleSet is an immutable set of rules with their worker pools, in the order of the rules.
type ruleSet struct {
	pools []*workerPool
	byKey map[string]*workerPool

	mu      sync.RWMutex
	matches map[subject][]*workerPool // a cache of matching
}

// maxMatches limits the cache, because senders choose events and actions.
const maxMatches = 4096

func newRuleSet(pools []*workerPool) *ruleSet {
	r := &ruleSet{pools: pools, byKey: make(map[string]*workerPool, len(pools)), matches: map[subject][]*workerPool{}}
	for _, pool := range pools {
		r.byKey[pool.rule.Key()] = pool
	}
	return r
}

// matching returns the pools of the rules that match. It caches the result, because
// comparing a thousand rules costs as much as storing a delivery.
func (r *ruleSet) matching(s subject) []*workerPool {
	r.mu.RLock()
	pools, known := r.matches[s]
	r.mu.RUnlock()
	if known {
		return pools
	}
	for _, pool := range r.pools {
		if pool.rule.matches(s) {
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

// subject is all of a delivery that decides which rules match it.
type subject struct {
	source string
	event  webhook.EventName
	action string
	host   bool // the sender is webhook.Host, which emits only listed actions
}

func (d Delivery) subject() subject { return subject{d.Source, d.Event, d.Action, d.Header == nil} }

// eventWithAction returns the event joined with its action. ok is false without such a
// name. The receiver has left out the actions of senders that have none.
func (s subject) eventWithAction() (name webhook.EventName, ok bool) {
	if s.host {
		return s.event.With(s.action)
	}
	return s.event + "." + webhook.EventName(s.action), s.action != ""
}
