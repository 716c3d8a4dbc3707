package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

type notificationTable struct{ s *Store }

func (t notificationTable) AddNotifications(ctx context.Context, all []notification.Notification) error {
	for _, n := range all {
		if err := t.AddWelcome(ctx, n.User, n.CreatedAt); err != nil {
			return err
		}
		t.s.tables.market.addNotification(n)
	}
	return nil
}

func (t notificationTable) AddWelcome(_ context.Context, id user.ID, now time.Time) error {
	if m := &t.s.tables.market; m.lastNotification[id] == 0 {
		m.addNotification(notification.NewWelcome(id, now))
	}
	return nil
}

// deletedUser is the last number of a deleted user, who gets no notification any more.
const deletedUser = -1

func (t *marketTables) addNotification(n notification.Notification) {
	if t.lastNotification[n.User] == deletedUser {
		return
	}
	t.lastNotification[n.User]++
	n.ID = t.lastNotification[n.User]
	t.notifications[notificationKey{n.User, n.ID}] = n
	if n.ID > market.MaxNotifications && n.ID%(market.MaxNotifications/10) == 0 {
		t.deleteOldNotifications(n.User, n.ID)
	}
}

// deleteOldNotifications deletes those of a user beyond the newest so many of the personal kinds, and
// of the others.
func (t *marketTables) deleteOldNotifications(of user.ID, last notification.ID) {
	kept := map[bool]int{}
	for id := last; id > 0; id-- {
		k := notificationKey{of, id}
		n, stored := t.notifications[k]
		if !stored {
			continue
		}
		if kept[n.Kind.Personal()]++; kept[n.Kind.Personal()] > market.MaxNotifications {
			delete(t.notifications, k)
		}
	}
}

func (t notificationTable) DeleteNotifications(_ context.Context, id user.ID) error {
	t.s.tables.market.lastNotification[id] = deletedUser
	maps.DeleteFunc(t.s.tables.market.notifications, func(k notificationKey, _ notification.Notification) bool { return k.user == id })
	return nil
}

type outboxTable struct{ s *Store }

func (t outboxTable) AddMessages(_ context.Context, all []message.Message) error {
	t.s.addMessages(all...)
	return nil
}

func (t outboxTable) AddEvents(_ context.Context, all []event.Event) error {
	t.s.addEvents(all...)
	return nil
}

type auditTable struct{ s *Store }

func (t auditTable) AddAuditEntries(_ context.Context, all []audit.Entry) error {
	t.s.addAudit(all...)
	return nil
}

type userTable struct{ s *Store }

func (t userTable) LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return t.FindUsers(ctx, ids...)
}

func (t userTable) FindUsers(_ context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	users := make(map[user.ID]market.User, len(ids))
	for _, id := range ids {
		if u, ok := t.s.marketUser(id); ok {
			users[id] = u
		}
	}
	return users, nil
}

func (t userTable) LockStaff(context.Context) ([]user.Staff, error) { return t.s.staff(), nil }

// ListStaff is market.StaffReader.
func (m *Market) ListStaff(ctx context.Context) ([]user.Staff, error) {
	return rows(ctx, m, func(*marketTables) []user.Staff { return m.s.staff() })
}

// staff lists the admins and owners who can act.
func (s *Store) staff() (all []user.Staff) {
	for _, u := range s.tables.auth.users {
		if u.Role > user.Regular && u.Email != "" && !u.Suspended() && !u.Leaving() {
			all = append(all, user.Staff{ID: u.ID, Role: u.Role, University: u.University()})
		}
	}
	slices.SortFunc(all, func(a, b user.Staff) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
