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
	m := market.User{ID: u.ID, Email: u.Email, Lang: u.Lang, Unavailable: u.Suspended() || u.Leaving(), Store: u.Store}
	if u.Profile != nil {
		m.Profile = *u.Profile
	}
	return m, true
}

// signUpTimes are the times at which the accounts at some universities that are not deleted
// were created.
func (s *Store) signUpTimes(at func(university string) bool) []time.Time {
	var out []time.Time
	for _, u := range s.tables.auth.users {
		university := ""
		if u.Profile != nil {
			university = u.Profile.University
		}
		if u.Email != "" && at(university) {
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
