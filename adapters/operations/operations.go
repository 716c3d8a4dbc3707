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

// State is how a dependency is.
type State string

// The states.
const (
	Up       State = "up"
	Degraded State = "degraded" // down, but the program works without it for now
	Down     State = "down"
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
	states  map[string]State
	overall State
}

// NewReadiness makes the handler; the log is told when a dependency goes down,
// and why.
func NewReadiness(log *slog.Logger, checks ...Check) *Readiness {
	return &Readiness{checks: checks, log: log, now: time.Now, states: map[string]State{}, overall: Up}
}

// ServeHTTP answers {"status": "up", "checks": {"database": "up", …}}, with 503
// while anything that is needed is down.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	overall, body := r.ask(req.Context())
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if overall == Down {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(body)
}

func (r *Readiness) ask(ctx context.Context) (State, []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.asked.IsZero() || now.Sub(r.asked) >= probeEvery {
		// Whoever asks may leave; the answer is for the next ones too.
		r.probe(context.WithoutCancel(ctx))
		r.asked = now
	}
	body, _ := json.Marshal(struct { // strings alone always marshal
		Status State            `json:"status"`
		Checks map[string]State `json:"checks"`
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
	r.overall = Up
	for i, c := range r.checks {
		r.note(c, failures[i])
	}
}

func (r *Readiness) note(c Check, failure error) {
	state := Up
	switch {
	case failure != nil && c.Needed:
		state, r.overall = Down, Down
	case failure != nil:
		state = Degraded
		if r.overall == Up {
			r.overall = Degraded
		}
	}
	before, known := r.states[c.Name]
	r.states[c.Name] = state
	switch {
	case state != Up && before != state:
		r.log.Warn("a dependency is down", "name", c.Name, "state", string(state), "error", failure)
	case state == Up && known && before != Up:
		r.log.Info("a dependency is back", "name", c.Name)
	}
}
