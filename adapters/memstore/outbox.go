package memstore

import (
	"maps"
	"slices"

	"github.com/octavo-books/octavo/domain/message"
)

// outboxTables is what waits to be sent.
type outboxTables struct {
	letters map[int64]letter
}

// letter is a message and how far it got.
type letter struct {
	message.Message
}

func newOutboxTables() outboxTables {
	return outboxTables{letters: map[int64]letter{}}
}

func (t outboxTables) clone() outboxTables {
	return outboxTables{letters: maps.Clone(t.letters)}
}

// addMessages puts messages into the outbox. It belongs inside atomically,
// together with what the messages tell of.
func (s *Store) addMessages(messages ...message.Message) {
	for _, m := range messages {
		m.Params = maps.Clone(m.Params)
		s.tables.outbox.letters[m.ID] = letter{m}
	}
}

// Messages are all that were ever added, oldest first, for tests to read.
func (s *Store) Messages() []message.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]message.Message, 0, len(s.tables.outbox.letters))
	for _, id := range slices.Sorted(maps.Keys(s.tables.outbox.letters)) {
		all = append(all, s.tables.outbox.letters[id].Message)
	}
	return all
}
