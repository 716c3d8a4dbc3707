package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Sessions is the Store as a keeper of sessions.
type Sessions struct{ store *Store }

// Sessions views the store.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

// AddSession keeps a new session and ends those beyond keep.
func (s *Sessions) AddSession(ctx context.Context, begun session.Session, keep int, trace func(newDevice bool) auth.SideEffects) error {
	return s.store.atomically(ctx, func() error {
		if _, err := s.store.userByID(begun.User); err != nil {
			return err
		}
		t := s.store.tables.auth
		d := device{begun.User, begun.Device.Browser, begun.Device.OS}
		_, known := t.devices[d]
		if !known {
			t.devices[d] = begun.CreatedAt
		}
		standing := s.of(begun.User)
		slices.SortFunc(standing, func(a, b session.Session) int {
			return cmp.Or(b.LastUsedAt.Compare(a.LastUsedAt), cmp.Compare(b.ID, a.ID))
		})
		for i := keep - 1; i < len(standing); i++ {
			s.end(standing[i], begun.CreatedAt)
		}
		t.sessions[begun.ID] = begun
		s.store.record(trace(!known))
		return nil
	})
}

func (s *Sessions) of(u user.ID) []session.Session {
	var all []session.Session
	for _, one := range s.store.tables.auth.sessions {
		if one.User == u && one.EndedAt.IsZero() {
			all = append(all, one)
		}
	}
	return all
}

func (s *Sessions) end(one session.Session, now time.Time) {
	one.EndedAt = now
	s.store.tables.auth.sessions[one.ID] = one
}

func (s *Sessions) find(of user.ID, id user.SessionID) (session.Session, bool) {
	one, ok := s.store.tables.auth.sessions[id]
	return one, ok && one.User == of && one.EndedAt.IsZero()
}

// FindSession finds a session that was not ended.
func (s *Sessions) FindSession(ctx context.Context, of user.ID, id user.SessionID) (found session.Session, err error) {
	err = s.store.read(ctx, func() error {
		one, ok := s.find(of, id)
		if !ok {
			return session.ErrNotFound
		}
		found = one
		return nil
	})
	return found, err
}

// ListSessions finds a user's sessions.
func (s *Sessions) ListSessions(ctx context.Context, of user.ID) (all []session.Session, err error) {
	err = s.store.read(ctx, func() error {
		all = s.of(of)
		return nil
	})
	return all, err
}

// FindSessionState tells how a session and its user stand.
func (s *Sessions) FindSessionState(ctx context.Context, of user.ID, id user.SessionID) (found auth.SessionState, err error) {
	err = s.store.read(ctx, func() error {
		one, ok := s.find(of, id)
		u, err := s.store.userByID(of)
		if !ok || err != nil {
			return session.ErrNotFound
		}
		found = auth.SessionState{Lifetime: one.Lifetime, NewestSeen: one.Family.NewestSeen, UserEpoch: u.Epoch, Role: u.Role, Student: u.Student()}
		for _, other := range s.of(of) {
			found.UsedSinceElsewhere = found.UsedSinceElsewhere || other.ID != id && !other.LastUsedAt.Before(one.LastUsedAt)
		}
		return nil
	})
	return found, err
}

// RotateToken does what session.Judge says.
func (s *Sessions) RotateToken(ctx context.Context, p auth.PresentedToken, theft func(session.Session) auth.SideEffects) (now session.Session, outcome session.Outcome, err error) {
	err = s.store.atomically(ctx, func() error {
		var ok bool
		if now, ok = s.find(p.User, p.Session); !ok {
			outcome = session.Inactive
			return nil
		}
		outcome = now.Classify(p.Number, p.UserEpoch, p.At)
		switch outcome {
		case session.Rotated:
			now.Rotate(p.Number, p.At)
			s.store.tables.auth.sessions[now.ID] = now
		case session.ReuseDetected:
			s.end(now, p.At)
			s.store.record(theft(now))
		}
		return nil
	})
	return now, outcome, err
}

// TouchSession notes a sighting.
func (s *Sessions) TouchSession(ctx context.Context, of user.ID, id user.SessionID, seen auth.SessionUse) error {
	return s.store.atomically(ctx, func() error {
		one, ok := s.find(of, id)
		if !ok {
			return nil
		}
		one.Family.NewestSeen = max(one.Family.NewestSeen, seen.TokenNumber)
		if seen.At.After(one.LastUsedAt) {
			one.LastUsedAt, one.IP = seen.At, seen.IP
		}
		s.store.tables.auth.sessions[id] = one
		return nil
	})
}

// RevokeSessions ends some of a user's sessions.
func (s *Sessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t auth.SideEffects) (ended int, err error) {
	err = s.store.atomically(ctx, func() error {
		for _, id := range ids {
			if one, ok := s.find(of, id); ok {
				s.end(one, now)
				ended++
			}
		}
		if ended > 0 {
			s.store.record(t)
		}
		return nil
	})
	return ended, err
}

// RebindSession takes a session from one epoch to another.
func (s *Sessions) RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return s.store.atomically(ctx, func() error {
		one, ok := s.find(of, id)
		if !ok || one.Epoch != from {
			return session.ErrNotFound
		}
		one.Epoch = to
		s.store.tables.auth.sessions[id] = one
		return nil
	})
}

// Limits is the Store as a counter.
type Limits struct{ store *Store }

// Limits views the store.
func (s *Store) Limits() *Limits { return &Limits{s} }

// AllowRequests counts all that is asked for, or nothing.
func (l *Limits) AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (wait time.Duration, err error) {
	err = l.store.atomically(ctx, func() error {
		next := make([]limit.State, len(asks))
		for i, a := range asks {
			var w time.Duration
			next[i], w = a.Rule.Allow(l.store.tables.auth.limits[a.Name], now)
			wait = max(wait, w)
		}
		if wait > 0 {
			return nil
		}
		for i, a := range asks {
			l.store.tables.auth.limits[a.Name] = next[i]
		}
		return nil
	})
	return wait, err
}

// ResetLimit makes name one that was never done.
func (l *Limits) ResetLimit(ctx context.Context, name string) error {
	return l.store.atomically(ctx, func() error {
		delete(l.store.tables.auth.limits, name)
		return nil
	})
}
