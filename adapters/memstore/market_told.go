package memstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

type toldTable struct{ s *Store }

func (t toldTable) Notify(_ context.Context, all []notification.Notification) error {
	m := &t.s.tables.market
	for _, n := range all {
		m.lastOf[n.User]++
		n.ID = m.lastOf[n.User]
		m.notices[noticeKey{n.User, n.ID}] = n
	}
	return nil
}

func (t toldTable) Mail(_ context.Context, all []message.Message) error {
	t.s.addMessages(all...)
	return nil
}

func (t toldTable) Audit(_ context.Context, all []audit.Entry) error {
	t.s.addAudit(all...)
	return nil
}

type peopleTable struct{ s *Store }

func (t peopleTable) Find(_ context.Context, ids ...user.ID) (map[user.ID]market.Person, error) {
	people := make(map[user.ID]market.Person, len(ids))
	for _, id := range ids {
		if p, ok := t.s.person(id); ok {
			people[id] = p
		}
	}
	return people, nil
}
