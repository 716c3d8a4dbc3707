package memstore

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// outboxTables holds the outbox, the opt-outs and the development mailbox.
type outboxTables struct {
	events  *eventQueue
	entries map[int64]outboxEntry
	optouts map[user.Email]time.Time
	mailbox map[int64]mailer.Mail
}

// outboxEntry is a message with its state. Its Outcome is mailer.Retry while it waits;
// DueAt is also the end of its lease.
type outboxEntry struct {
	message.Message
	Outcome   mailer.Outcome
	Attempt   int
	DueAt     time.Time
	SettledAt time.Time
	Reason    string
}

func newOutboxTables() outboxTables {
	return outboxTables{newEventQueue(), map[int64]outboxEntry{}, map[user.Email]time.Time{}, map[int64]mailer.Mail{}}
}

func (t outboxTables) clone() outboxTables {
	return outboxTables{t.events.clone(), maps.Clone(t.entries), maps.Clone(t.optouts), maps.Clone(t.mailbox)}
}

// addMessages adds messages to the outbox. Call it inside atomically, together with the
// change that the messages are about.
func (s *Store) addMessages(messages ...message.Message) {
	for _, m := range messages {
		m.Params = maps.Clone(m.Params)
		s.tables.outbox.entries[m.ID] = outboxEntry{Message: m, DueAt: m.CreatedAt, Outcome: mailer.Retry}
		s.tables.outbox.makeOlderDue(m)
	}
	if len(messages) > 0 {
		s.wakeups.Notify(messagesTopic)
	}
}

const (
	messagesTopic = "messages"
	eventsTopic   = "events"
	jobsTopic     = "jobs"
)

// newWakeups returns a hub without a net: every wait ends by a notification or when work is due.
func newWakeups() *wakeup.Hub {
	h := wakeup.New()
	h.SetNet(1000 * time.Hour)
	h.SetArriving(true)
	return h
}

// nextDue returns when the first waiting message is due, zero without one.
func (t outboxTables) nextDue() (next time.Time) {
	for _, e := range t.entries {
		if e.Outcome == mailer.Retry && (next.IsZero() || e.DueAt.Before(next)) {
			next = e.DueAt
		}
	}
	return next
}

// makeOlderDue makes older messages of the kind to the same person due at once if they
// wait for a retry.
func (t outboxTables) makeOlderDue(newer message.Message) {
	for id, e := range t.entries {
		if newer.Kind.Urgent() && e.To == newer.To && e.Kind == newer.Kind && id < newer.ID && e.waitsForRetry(newer.CreatedAt) {
			e.DueAt = newer.CreatedAt
			t.entries[id] = e
		}
	}
}

// waitsForRetry reports whether the message waits after a failed attempt. While an
// attempt is under way it has no reason.
func (e outboxEntry) waitsForRetry(now time.Time) bool {
	return e.Outcome == mailer.Retry && e.Reason != "" && e.DueAt.After(now)
}

// eraseRecipients erases people from the outbox. Dead letters stay to be counted,
// without their recipients. Call it inside atomically.
func (s *Store) eraseRecipients(emails ...user.Email) {
	t := s.tables.outbox
	for id, e := range t.entries {
		switch {
		case !slices.Contains(emails, e.To):
		case e.Outcome == mailer.Dead:
			e.To, e.Params, e.Reason = "", nil, ""
			t.entries[id] = e
		default:
			delete(t.entries, id)
		}
	}
	maps.DeleteFunc(t.optouts, func(one user.Email, _ time.Time) bool { return slices.Contains(emails, one) })
}

// Messages returns all messages of the outbox, oldest first, for tests.
func (s *Store) Messages() []message.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []message.Message
	for _, e := range s.tables.outbox.byID() {
		all = append(all, e.Message)
	}
	return all
}

func (t outboxTables) byID() []outboxEntry {
	return slices.SortedFunc(maps.Values(t.entries), func(a, b outboxEntry) int { return cmp.Compare(a.ID, b.ID) })
}

// due returns the messages that may be claimed, in the order of claiming.
func (t outboxTables) due(now time.Time) []outboxEntry {
	type queueKey struct {
		to   user.Email
		kind message.Kind
	}
	occupied := map[queueKey]bool{}
	var due []outboxEntry
	for _, e := range t.byID() {
		if e.Outcome != mailer.Retry {
			continue
		}
		key := queueKey{e.To, e.Kind}
		if !e.DueAt.After(now) && (!e.Kind.Urgent() || !occupied[key]) {
			due = append(due, e)
		}
		if !e.waitsForRetry(now) && !e.Expired(now) {
			occupied[key] = true
		}
	}
	slices.SortStableFunc(due, func(a, b outboxEntry) int {
		return cmp.Or(cmp.Compare(priority(a), priority(b)), a.DueAt.Compare(b.DueAt))
	})
	return due
}

func priority(e outboxEntry) int {
	if e.Kind.Urgent() {
		return 0
	}
	return 1
}
