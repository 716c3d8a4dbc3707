package memstore

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// outboxTables is what waits to be sent, and what became of it.
type outboxTables struct {
	added   chan struct{}
	letters map[int64]letter
	optouts map[user.Email]time.Time
	mailbox map[int64]courier.Mail
}

// letter is a message and how far it got. Verdict is empty or courier.Wait
// while it waits; Due is also where its lease ends.
type letter struct {
	message.Message
	Verdict courier.Verdict
	Try     int
	Due     time.Time
	Ended   time.Time
	Reason  string
}

func newOutboxTables() outboxTables {
	return outboxTables{make(chan struct{}, 1), map[int64]letter{}, map[user.Email]time.Time{}, map[int64]courier.Mail{}}
}

func (t outboxTables) clone() outboxTables {
	return outboxTables{t.added, maps.Clone(t.letters), maps.Clone(t.optouts), maps.Clone(t.mailbox)}
}

// addMessages puts messages into the outbox. It belongs inside atomically,
// together with what the messages tell of.
func (s *Store) addMessages(messages ...message.Message) {
	for _, m := range messages {
		m.Params = maps.Clone(m.Params)
		s.tables.outbox.letters[m.ID] = letter{Message: m, Due: m.CreatedAt, Verdict: courier.Wait}
		s.tables.outbox.hurry(m)
	}
	if len(messages) > 0 {
		select {
		case s.tables.outbox.added <- struct{}{}:
		default:
		}
	}
}

// hurry ends the wait of older messages of the kind to the same person after a try
// that failed.
func (t outboxTables) hurry(newer message.Message) {
	for id, l := range t.letters {
		if newer.Kind.Urgent() && l.To == newer.To && l.Kind == newer.Kind && id < newer.ID && l.failed(newer.CreatedAt) {
			l.Due = newer.CreatedAt
			t.letters[id] = l
		}
	}
}

// failed reports whether the letter waits for another try. While one is under way
// it has no reason.
func (l letter) failed(now time.Time) bool {
	return l.Verdict == courier.Wait && l.Reason != "" && l.Due.After(now)
}

// forgetMails erases people from the outbox. What was given up stays to be
// counted. It belongs inside atomically.
func (s *Store) forgetMails(who ...user.Email) {
	t := s.tables.outbox
	for id, l := range t.letters {
		switch {
		case !slices.Contains(who, l.To):
		case l.Verdict == courier.Dead:
			l.To, l.Params, l.Reason = "", nil, ""
			t.letters[id] = l
		default:
			delete(t.letters, id)
		}
	}
	maps.DeleteFunc(t.optouts, func(one user.Email, _ time.Time) bool { return slices.Contains(who, one) })
}

// Messages are all that the outbox holds, oldest first, for tests to read.
func (s *Store) Messages() []message.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []message.Message
	for _, l := range s.tables.outbox.byID() {
		all = append(all, l.Message)
	}
	return all
}

func (t outboxTables) byID() []letter {
	return slices.SortedFunc(maps.Values(t.letters), func(a, b letter) int { return cmp.Compare(a.ID, b.ID) })
}

// due lists what may be claimed, in the order of claiming.
func (t outboxTables) due(now time.Time) []letter {
	type turn struct {
		to   user.Email
		kind message.Kind
	}
	taken := map[turn]bool{}
	var due []letter
	for _, l := range t.byID() {
		if l.Verdict != courier.Wait {
			continue
		}
		key := turn{l.To, l.Kind}
		if !l.Due.After(now) && (!l.Kind.Urgent() || !taken[key]) {
			due = append(due, l)
		}
		if !l.failed(now) && !l.Expired(now) {
			taken[key] = true
		}
	}
	slices.SortStableFunc(due, func(a, b letter) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Due.Compare(b.Due))
	})
	return due
}

func rank(l letter) int {
	if l.Kind.Urgent() {
		return 0
	}
	return 1
}
