package httpx

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/domain/user"
)

// The limits of the log, because anybody can invent origins: how many it names, and their
// length, which is that of the longest host name with a scheme and a port.
const (
	maxHints  = 100
	maxOrigin = 270
)

// originHints tells developers which setting allows a refused origin. The error says it, and
// so does the log, once for each origin, because a browser hides the response from a page of
// another origin. It is safe for concurrent use.
type originHints struct {
	allowed []string
	log     *slog.Logger

	mu     sync.Mutex
	logged map[string]bool
}

func newOriginHints(allowed []string, log *slog.Logger) *originHints {
	return &originHints{allowed: allowed, log: log, logged: map[string]bool{}}
}

// refusal returns the error for a request from an origin that is not allowed.
func (h *originHints) refusal(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if len(r.Header["Origin"]) != 1 || len(origin) > maxOrigin || checkOrigin(origin) != nil { // such as null, which no setting allows
		return user.ErrForbidden.WithMsg("This request came from another site.")
	}
	setting := "ALLOWED_ORIGINS=" + strings.Join(append(slices.Clone(h.allowed), origin), ",")
	if h.isNew(origin) {
		h.log.WarnContext(r.Context(), "a page of another origin may not use this server", "origin", origin, "to_allow_it_set", setting)
	}
	return user.ErrForbidden.WithMsg("This request came from another site. If it is yours, allow it with the setting ALLOWED_ORIGINS=" + origin + ".")
}

// isNew reports whether the origin has not been logged yet and there is room for it.
func (h *originHints) isNew(origin string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.logged[origin] || len(h.logged) >= maxHints {
		return false
	}
	h.logged[origin] = true
	return true
}
