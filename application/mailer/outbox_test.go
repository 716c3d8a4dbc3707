package mailer_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// outbox is an outbox in memory that does what the tests of the relay need: it claims in the order
// of mailer.Outbox, one urgent message of a kind to a person at a time.
type outbox struct {
	mu      sync.Mutex
	entries map[int64]entry
	optouts map[user.Email]bool
	changed chan struct{} // wakes one that waits
}

// entry is a message. Its outcome is mailer.Retry while it waits; dueAt is also the end of its lease.
type entry struct {
	message.Message
	outcome   mailer.Outcome
	attempt   int
	dueAt     time.Time
	settledAt time.Time
	reason    string // "" while an attempt is under way
}

func newOutbox() *outbox {
	return &outbox{entries: map[int64]entry{}, optouts: map[user.Email]bool{}, changed: make(chan struct{}, 1)}
}

// putOff reports whether the message waits after a failed attempt.
func (e entry) putOff(now time.Time) bool {
	return e.outcome == mailer.Retry && e.reason != "" && e.dueAt.After(now)
}

func (o *outbox) AddMessages(_ context.Context, messages ...message.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range messages {
		m.Params = maps.Clone(m.Params)
		o.entries[m.ID] = entry{Message: m, dueAt: m.CreatedAt, outcome: mailer.Retry}
		for id, e := range o.entries {
			if m.Kind.Urgent() && e.To == m.To && e.Kind == m.Kind && id < m.ID && e.putOff(m.CreatedAt) {
				e.dueAt = m.CreatedAt
				o.entries[id] = e
			}
		}
	}
	o.WakeWaiting()
	return nil
}

func (o *outbox) WakeWaiting() {
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

func (o *outbox) WaitForMessages(ctx context.Context, next time.Time) {
	interval := 1000 * time.Hour
	if !next.IsZero() {
		if interval = time.Until(next); interval <= 0 { // it waits for another message
			interval = time.Second
		}
	}
	timer := time.NewTimer(interval)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-o.changed:
	case <-timer.C:
	}
}

func (o *outbox) byID() []entry {
	return slices.SortedFunc(maps.Values(o.entries), func(a, b entry) int { return cmp.Compare(a.ID, b.ID) })
}

// due returns what may be claimed, in the order of claiming, and when the first waiting one is due.
func (o *outbox) due(now time.Time) (due []entry, next time.Time) {
	type queue struct {
		to   user.Email
		kind message.Kind
	}
	occupied := map[queue]bool{}
	for _, e := range o.byID() {
		if e.outcome != mailer.Retry {
			continue
		}
		if next.IsZero() || e.dueAt.Before(next) {
			next = e.dueAt
		}
		key := queue{e.To, e.Kind}
		if !e.dueAt.After(now) && (!e.Kind.Urgent() || !occupied[key]) {
			due = append(due, e)
		}
		if !e.putOff(now) && !e.Expired(now) {
			occupied[key] = true
		}
	}
	slices.SortStableFunc(due, func(a, b entry) int {
		if a.Kind.Urgent() != b.Kind.Urgent() {
			return map[bool]int{true: -1, false: 1}[a.Kind.Urgent()]
		}
		return a.dueAt.Compare(b.dueAt)
	})
	return due, next
}

func (o *outbox) ClaimMessages(_ context.Context, now, until time.Time, n int) (claimed []mailer.ClaimedMessage, next time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	due, next := o.due(now)
	for _, e := range due[:min(n, len(due))] {
		e.attempt++
		e.dueAt, e.reason = until, ""
		o.entries[e.ID] = e
		claimed = append(claimed, mailer.ClaimedMessage{Message: e.Message, Attempt: e.attempt})
	}
	return claimed, next, nil
}

func (o *outbox) SettleMessages(_ context.Context, now time.Time, results []mailer.Result) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range results {
		e := o.entries[r.Message.ID]
		switch {
		case e.outcome != mailer.Retry:
			continue
		case r.Outcome != mailer.Retry:
			e.outcome, e.settledAt, e.reason, e.Code, e.Link = r.Outcome, now, r.Reason, "", ""
		case e.attempt == r.Message.Attempt: // the lease was not lost
			e.dueAt, e.attempt, e.reason = r.RetryAt, r.Attempt, r.Reason
		}
		o.entries[e.ID] = e
		if r.Outcome == mailer.Retry && r.Reason != "" {
			o.WakeWaiting()
		}
	}
	return nil
}

func (o *outbox) DeleteSettledMessages(_ context.Context, sent, dead time.Time, n int) (deleted int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.byID() {
		limit := map[bool]time.Time{true: dead, false: sent}[e.outcome == mailer.Dead]
		if e.outcome != mailer.Retry && e.settledAt.Before(limit) && deleted < n {
			delete(o.entries, e.ID)
			deleted++
		}
	}
	return deleted, nil
}

func (o *outbox) ReadStats(context.Context) (stats mailer.OutboxStats, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.entries {
		switch e.outcome {
		case mailer.Dead:
			stats.Dead++
		case mailer.Retry:
			stats.Waiting++
			if stats.Oldest.IsZero() || e.CreatedAt.Before(stats.Oldest) {
				stats.Oldest = e.CreatedAt
			}
		}
	}
	return stats, nil
}

func (o *outbox) AddOptOut(_ context.Context, email user.Email, _ time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.optouts[email] = true
	return nil
}

func (o *outbox) FindOptOuts(_ context.Context, emails []user.Email) (map[user.Email]bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := map[user.Email]bool{}
	for _, email := range emails {
		if o.optouts[email] {
			found[email] = true
		}
	}
	return found, nil
}
