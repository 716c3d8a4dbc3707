package memstore

import (
	"context"
	"maps"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

type toldTable struct{ s *Store }

func (t toldTable) Notify(ctx context.Context, all []notification.Notification) error {
	for _, n := range all {
		if err := t.Greet(ctx, n.User, n.CreatedAt); err != nil {
			return err
		}
		t.s.tables.market.add(n)
	}
	return nil
}

func (t toldTable) Greet(_ context.Context, id user.ID, now time.Time) error {
	if m := &t.s.tables.market; m.lastOf[id] == 0 {
		m.add(notification.Greeting(id, now))
	}
	return nil
}

// forgotten is the last number of a person to whom nothing is told any more.
const forgotten = -1

func (t *marketTables) add(n notification.Notification) {
	if t.lastOf[n.User] == forgotten {
		return
	}
	t.lastOf[n.User]++
	n.ID = t.lastOf[n.User]
	t.notices[noticeKey{n.User, n.ID}] = n
	delete(t.notices, noticeKey{n.User, n.ID - market.MaxNotices})
}

func (t toldTable) Forget(_ context.Context, id user.ID) error {
	t.s.tables.market.lastOf[id] = forgotten
	maps.DeleteFunc(t.s.tables.market.notices, func(k noticeKey, _ notification.Notification) bool { return k.user == id })
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

func (t peopleTable) FindForShare(ctx context.Context, ids ...user.ID) (map[user.ID]market.Person, error) {
	return t.Find(ctx, ids...)
}

func (t peopleTable) Find(_ context.Context, ids ...user.ID) (map[user.ID]market.Person, error) {
	people := make(map[user.ID]market.Person, len(ids))
	for _, id := range ids {
		if p, ok := t.s.person(id); ok {
			people[id] = p
		}
	}
	return people, nil
}
