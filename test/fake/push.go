package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
)

// Pushed is a message that a push service got.
type Pushed struct {
	To       push.Subscription
	Message  pushing.Message
	Body     string // of what the browser shows, as URL, Tag and Unread
	URL, Tag string
	Unread   int
}

// Push is a push service. It implements pushing.Pusher and pushing.Words, and says which sessions have ended.
type Push struct {
	mu     sync.Mutex
	pushed []Pushed
	answer error
	ended  []user.SessionID
}

// Config is that of a room which pushes to p. Without ended, the sessions that End was told have ended.
func (p *Push) Config(ended pushing.EndedSessions) pushing.Config {
	if ended == nil {
		ended = p.endedSessions
	}
	return pushing.Config{Pusher: p, Ended: ended, Words: p, Title: "Octavo", Log: slog.New(slog.DiscardHandler)}
}

// PublicKey implements pushing.Pusher. It is the one of the example in RFC 8292, section 2.4.
func (p *Push) PublicKey() string {
	return "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
}

// CheckEndpoint implements pushing.Pusher.
func (p *Push) CheckEndpoint(endpoint string) error {
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "https" {
		return fmt.Errorf("%q is no endpoint", endpoint)
	}
	return nil
}

// Push implements pushing.Pusher.
func (p *Push) Push(_ context.Context, to push.Subscription, m pushing.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var shown struct {
		Body, URL, Tag string
		Unread         int
	}
	if err := json.Unmarshal(m.Payload, &shown); err != nil {
		return err
	}
	p.pushed = append(p.pushed, Pushed{to, m, shown.Body, shown.URL, shown.Tag, shown.Unread})
	return p.answer
}

// Answers makes all messages fail with an error; nil: they are taken.
func (p *Push) Answers(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = err
}

// Pushed returns the messages since the last call, in their order.
func (p *Push) Pushed() (all []Pushed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, p.pushed = p.pushed, nil
	return all
}

// End ends a session.
func (p *Push) End(id user.SessionID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = append(p.ended, id)
}

func (p *Push) endedSessions(_ context.Context, of []user.Caller) (ended []user.SessionID, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, by := range of {
		if slices.Contains(p.ended, by.Session) {
			ended = append(ended, by.Session)
		}
	}
	return ended, nil
}

// Sentence implements pushing.Words.
func (*Push) Sentence(lang user.Lang, n notification.Notification) string {
	return string(lang) + " " + string(n.Kind)
}

// Held implements pushing.Words.
func (*Push) Held(_ user.Lang, n int) string { return fmt.Sprintf("%d new", n) }
