package pgsignals

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	// maxPending bounds what waits while the database is away. Beyond it the signal is for
	// everyone.
	maxPending = 10_000
	// maxPayload is below the 8,000 bytes of Postgres.
	maxPayload = 7_900
	everyone   = "*"
)

// topicForm is the form of a topic: a word that is no user's id. Earlier releases ignore such
// words.
var topicForm = regexp.MustCompile(`^[a-z][a-z_.]{0,39}$`)

// pending are the users and topics of signals that are not sent yet.
type pending struct {
	ids    map[user.ID]bool
	all    bool
	topics map[string]bool // the program's constants, so there are few
}

func (p *pending) add(ids []user.ID) {
	if p.ids == nil {
		p.ids = make(map[user.ID]bool, len(ids))
	}
	for _, one := range ids {
		p.ids[one] = true
	}
	p.trim()
}

func (p *pending) addTopic(topic string) {
	if p.topics == nil {
		p.topics = map[string]bool{}
	}
	p.topics[topic] = true
}

func (p *pending) join(other pending) {
	for one := range other.ids {
		p.add([]user.ID{one})
	}
	for topic := range other.topics {
		p.addTopic(topic)
	}
	p.all = p.all || other.all
	p.trim()
}

func (p *pending) trim() {
	if p.all = p.all || len(p.ids) > maxPending; p.all {
		p.ids = nil
	}
}

// payloads are the texts to send. One without users and topics is empty.
func (p *pending) payloads() []string {
	words := slices.Sorted(maps.Keys(p.topics))
	for one := range p.ids {
		words = append(words, one.String())
	}
	var all []string
	if p.all {
		all = append(all, everyone)
	}
	var b strings.Builder
	for _, word := range words {
		if b.Len()+1+len(word) > maxPayload {
			all = append(all, b.String())
			b.Reset()
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	if b.Len() > 0 || len(all) == 0 {
		all = append(all, b.String())
	}
	return all
}

// parse reads a payload: the users and the topics that it names, or that it is for everyone. It
// ignores words that this release does not know.
func parse(payload string) (ids []user.ID, topics []string, all bool) {
	if payload == everyone {
		return nil, nil, true
	}
	for word := range strings.FieldsSeq(payload) {
		if n, ok := id.Parse(word); ok {
			ids = append(ids, user.ID(n))
		} else if topicForm.MatchString(word) {
			topics = append(topics, word)
		}
	}
	return ids, topics, false
}
