// Package operations serves the endpoints for operators: liveness, readiness,
// profiles, and the public keys for verifying tokens.
package operations

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Live always answers 200.
func Live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n"))
}

// KeySet serves a JWK Set. Clients may cache it for five minutes: a new key is
// published before it signs, and an old one until its last token has expired.
func KeySet(jwks []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		w.Header().Set("Cache-Control", "public, max-age=300")
		w.Header().Set("Access-Control-Allow-Origin", "*") // public keys
		_, _ = w.Write(jwks)
	}
}

// LazyKeySet is KeySet of keys that are read, or made, at each request.
func LazyKeySet(read func() ([]byte, error), log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		set, err := read()
		if err != nil {
			log.ErrorContext(r.Context(), "read the keys", "error", err)
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			return
		}
		KeySet(set)(w, r)
	}
}

// Check is the health check of one dependency.
type Check struct {
	Name     string // as shown, e.g. "database"
	Required bool   // while it fails, the program is not ready; otherwise it is degraded
	Probe    func(context.Context) error
}

// state is the state of a dependency or of the whole program.
type state string

const (
	up       state = "up"
	degraded state = "degraded" // down, but not required
	down     state = "down"
)

const (
	probeTimeout = 2 * time.Second
	probeEvery   = time.Second // requests in between get the last result
)

// Readiness answers /readyz.
type Readiness struct {
	checks []Check
	log    *slog.Logger
	now    func() time.Time

	mu      sync.Mutex
	probed  time.Time
	states  map[string]state
	overall state
}

// NewReadiness returns the handler. It logs when a dependency goes down, with the
// error, and when it recovers.
func NewReadiness(log *slog.Logger, checks ...Check) *Readiness {
	return &Readiness{checks: checks, log: log, now: time.Now, states: map[string]state{}, overall: up}
}

// ServeHTTP answers {"status": "up", "checks": {"database": "up", …}}, with 503
// while a required dependency is down.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	overall, body := r.report(req.Context())
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if overall == down {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(body)
}

func (r *Readiness) report(ctx context.Context) (state, []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.probed.IsZero() || now.Sub(r.probed) >= probeEvery {
		// The result is cached, so it must not depend on this client's connection.
		r.probe(context.WithoutCancel(ctx))
		r.probed = now
	}
	body, _ := json.Marshal(struct { // strings always marshal
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
		r.record(c, failures[i])
	}
}

func (r *Readiness) record(c Check, failure error) {
	now := up
	switch {
	case failure != nil && c.Required:
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
		r.log.Info("a dependency is up again", "name", c.Name)
	}
}
