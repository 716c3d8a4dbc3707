package inspector

import (
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/limit"
)

const (
	maxTries   = 10 // tokens that a client may try in a minute
	maxClients = 10_000
)

// tries limits how often a client may try a token in a minute. Beyond maxClients, new clients
// share one limit, so that many addresses cannot exhaust the memory or get unlimited attempts.
type tries struct {
	now func() time.Time

	mu       sync.Mutex
	until    time.Time      // when the minute ends, for all clients
	byClient map[string]int // by limit.ClientKey
}

// allow counts an attempt and reports whether it is within the limit.
func (t *tries) allow(ip string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, client := t.now(), limit.ClientKey(ip)
	if !now.Before(t.until) {
		t.until, t.byClient = now.Add(time.Minute), map[string]int{}
	}
	if _, known := t.byClient[client]; !known && len(t.byClient) >= maxClients {
		client = "others"
	}
	t.byClient[client]++
	return t.byClient[client] <= maxTries
}

// forget clears the attempts of a client that has the token.
func (t *tries) forget(ip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byClient, limit.ClientKey(ip))
}
