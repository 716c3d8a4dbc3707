package memstore

import (
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// marketUser is what the market knows about an account.
func (s *Store) marketUser(id user.ID) (market.User, bool) {
	u, ok := s.tables.auth.users[id]
	if !ok {
		return market.User{}, false
	}
	m := market.User{ID: u.ID, Email: u.Email, Lang: u.Lang}
	if u.Profile != nil {
		m.Profile = *u.Profile
	}
	return m, true
}

// joined is when each account that still exists was made.
func (s *Store) joined() []time.Time {
	var out []time.Time
	for _, u := range s.tables.auth.users {
		if u.Email != "" {
			out = append(out, u.CreatedAt)
		}
	}
	return out
}

func (s *Store) addAudit(all ...audit.Entry) {
	for _, e := range all {
		s.tables.auth.entries[e.ID] = e
	}
}
