// Package operations serves those who run the program: whether it lives, whether
// it is ready, and the keys that other services verify tokens with.
package operations

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Live answers 200 for as long as the process serves at all.
func Live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n"))
}

// KeySet serves a JWK Set. It may be kept for five minutes: a new key is
// published before it signs, and an old one stays for as long as its tokens.
func KeySet(jwks []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		w.Header().Set("Cache-Control", "public, max-age=300")
		w.Header().Set("Access-Control-Allow-Origin", "*") // public keys
		_, _ = w.Write(jwks)
	}
}

// Check asks one dependency how it is.
type Check struct {
	Name   string // as shown, e.g. "database"
	Needed bool   // without it the program is not ready; else it is degraded
	Probe  func(context.Context) error
}

// state is how a dependency is.
type state string

const (
	up       state = "up"
	degraded state = "degraded" // down, but the program works without it for now
	down     state = "down"
)

const (
	probeTimeout = 2 * time.Second
	probeEvery   = time.Second // more questions than that get the last answer
)

// Readiness answers /readyz.
type Readiness struct {
	checks []Check
	log    *slog.Logger
	now    func() time.Time

	mu      sync.Mutex
	asked   time.Time
	states  map[string]state
	overall state
}

// NewReadiness makes the handler; the log is told when a dependency goes down,
// and why.
func NewReadiness(log *slog.Logger, checks ...Check) *Readiness {
	return &Readiness{checks: checks, log: log, now: time.Now, states: map[string]state{}, overall: up}
}

// ServeHTTP answers {"status": "up", "checks": {"database": "up", …}}, with 503
// while anything that is needed is down.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	overall, body := r.ask(req.Context())
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if overall == down {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(body)
}

func (r *Readiness) ask(ctx context.Context) (state, []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.asked.IsZero() || now.Sub(r.asked) >= probeEvery {
		// Whoever asks may leave; the answer is for the next ones too.
		r.probe(context.WithoutCancel(ctx))
		r.asked = now
	}
	body, _ := json.Marshal(struct { // strings alone always marshal
		Status state            `json:"status"`
		Checks map[string]state `json:"checks"`
	}{r.overall, r.states})
	return r.overall, append(body, '\n')
}

func (r *Readiness) probe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	failures := make([]error, len(r.checks))
	var all sync.WaitGroup
	for i, c := range r.checks {
		all.Go(func() { failures[i] = c.Probe(ctx) })
	}
	all.Wait()
	r.overall = up
	for i, c := range r.checks {
		r.note(c, failures[i])
	}
}

func (r *Readiness) note(c Check, failure error) {
	now := up
	switch {
	case failure != nil && c.Needed:
		now, r.overall = down, down
	case failure != nil:
		now = degraded
		if r.overall == up {
			r.overall = degraded
		}
	}
	before, known := r.states[c.Name]
	r.states[c.Name] = now
	switch {
	case now != up && before != now:
		r.log.Warn("a dependency is down", "name", c.Name, "state", string(now), "error", failure)
	case now == up && known && before != up:
		r.log.Info("a dependency is back", "name", c.Name)
	}
}
