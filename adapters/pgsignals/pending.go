package pgsignals

import (
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

// pending are the users of signals that are not sent yet.
type pending struct {
	ids map[user.ID]bool
	all bool
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

func (p *pending) join(other pending) {
	for one := range other.ids {
		p.add([]user.ID{one})
	}
	p.all = p.all || other.all
	p.trim()
}

func (p *pending) trim() {
	if p.all = p.all || len(p.ids) > maxPending; p.all {
		p.ids = nil
	}
}

// payloads are the texts to send. One without users is empty.
func (p *pending) payloads() []string {
	if p.all {
		return []string{everyone}
	}
	var all []string
	var b strings.Builder
	for one := range p.ids {
		word := one.String()
		if b.Len()+1+len(word) > maxPayload {
			all = append(all, b.String())
			b.Reset()
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return append(all, b.String())
}

// parse reads a payload: the users, nil for everyone; some is false if it names none.
func parse(payload string) (ids []user.ID, some bool) {
	if payload == everyone {
		return nil, true
	}
	for word := range strings.FieldsSeq(payload) {
		if n, ok := id.Parse(word); ok {
			ids = append(ids, user.ID(n))
		}
	}
	return ids, len(ids) > 0
}
