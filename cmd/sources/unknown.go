package sources

import (
	"context"
	"log/slog"
	"sync"

	"github.com/octavo-books/octavo/domain/webhook"
)

// maxUnknown limits the unknown names that are logged and remembered for a source.
const maxUnknown = 100

// unknownEvents logs each event outside the sender's list once: it is newer than this program,
// or somebody else has sent it.
type unknownEvents struct {
	sender *webhook.Sender
	log    *slog.Logger
	mu     sync.Mutex
	seen   map[webhook.EventName]bool
}

// acceptFunc stores an event with its action.
type acceptFunc = func(ctx context.Context, e webhook.Event, action string) error

// logUnknownEvents returns accept with a warning for each event that GitHub's list lacks. For
// webhook.Host it returns accept unchanged, because users add events of their own.
func logUnknownEvents(accept acceptFunc, sender *webhook.Sender, log *slog.Logger) acceptFunc {
	u := &unknownEvents{sender: sender, log: log, seen: map[webhook.EventName]bool{}}
	if sender.HasTable() || sender.EventNames() == nil {
		return accept
	}
	return func(ctx context.Context, e webhook.Event, action string) error {
		name, ok := sender.With(e.Name, action)
		if !ok {
			name = e.Name
		}
		if !sender.Knows(name) {
			u.warn(name)
		}
		return accept(ctx, e, action)
	}
}

func (u *unknownEvents) warn(name webhook.EventName) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[name] || len(u.seen) == maxUnknown {
		return
	}
	u.seen[name] = true
	u.log.Warn(
		"an event that the sender is not known to have is accepted", "sender", u.sender.Name(), "event", string(name), "nearest",
		string(u.sender.Nearest(name)),
	)
	if len(u.seen) == maxUnknown {
		u.log.Warn("no more unknown events of this source are logged", "sender", u.sender.Name(), "logged", maxUnknown)
	}
}
