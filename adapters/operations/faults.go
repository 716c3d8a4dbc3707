package operations

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Fault is an error in the log.
type Fault struct {
	At        time.Time `json:"at"`
	Message   string    `json:"message"`
	Error     string    `json:"error,omitempty"`
	RequestID string    `json:"requestId,omitempty"`
	Route     string    `json:"route,omitempty"`
}

// maxFaults is how many are remembered.
const maxFaults = 10

// Faults remembers the newest errors of the log of this process.
type Faults struct {
	mu  sync.Mutex
	all []Fault
}

// List returns them, the newest first.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.all)
	slices.Reverse(all)
	return all
}

func (f *Faults) add(one Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all[max(0, len(f.all)-maxFaults+1):], one)
}

// ServeHTTP lists them as JSON.
func (f *Faults) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	body, _ := json.Marshal(append([]Fault{}, f.List()...)) // strings and times always marshal
	_, _ = w.Write(append(body, '\n'))
}

// RememberFaults returns a logger that also remembers its errors.
func RememberFaults(log *slog.Logger) *slog.Logger {
	return slog.New(faultLog{log.Handler(), &Faults{}})
}

// FaultsOf returns what a logger remembers; nothing if it is none of RememberFaults.
func FaultsOf(log *slog.Logger) *Faults {
	if l, ok := log.Handler().(faultLog); ok {
		return l.faults
	}
	return &Faults{}
}

type faultLog struct {
	slog.Handler
	faults *Faults
}

// Handle implements slog.Handler.
func (l faultLog) Handle(ctx context.Context, rec slog.Record) error {
	if rec.Level >= slog.LevelError {
		one := Fault{At: rec.Time.UTC(), Message: rec.Message}
		rec.Attrs(func(a slog.Attr) bool {
			switch a.Key {
			case "error", "panic":
				one.Error = a.Value.String()
			case "request_id":
				one.RequestID = a.Value.String()
			case "route":
				one.Route = a.Value.String()
			}
			return true
		})
		l.faults.add(one)
	}
	return l.Handler.Handle(ctx, rec)
}

// WithAttrs implements slog.Handler.
func (l faultLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return faultLog{l.Handler.WithAttrs(attrs), l.faults}
}

// WithGroup implements slog.Handler.
func (l faultLog) WithGroup(name string) slog.Handler {
	return faultLog{l.Handler.WithGroup(name), l.faults}
}
