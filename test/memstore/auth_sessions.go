package memstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Sessions implements the ports for sessions.
type Sessions struct{ store *Store }

// Sessions returns a view of the store.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

// AddSession implements auth.SessionStore.
func (s *Sessions) AddSession(ctx context.Context, added session.Session, limit int, effects auth.SessionEffects) error {
	return s.store.atomically(ctx, func() error {
		if _, err := s.store.userByID(added.User); err != nil {
			return err
		}
		t := s.store.tables.auth
		d := device{added.User, added.Device.Browser, added.Device.OS}
		_, this := t.devices[d]
		known := auth.KnownDevices{This: this}
		for other := range t.devices {
			known.Any = known.Any || other.of == added.User
		}
		if !this {
			t.devices[d] = added.CreatedAt
		}
		active := slices.DeleteFunc(s.of(added.User), func(one session.Session) bool { return one.Client != added.Client })
		slices.SortFunc(active, func(a, b session.Session) int {
			return cmp.Or(b.LastUsedAt.Compare(a.LastUsedAt), cmp.Compare(b.ID, a.ID))
		})
		var revoked []user.SessionID
		for i := limit - 1; i < len(active); i++ {
			s.end(active[i], added.CreatedAt)
			revoked = append(revoked, active[i].ID)
		}
		t.sessions[added.ID] = added
		if len(revoked) > 0 {
			s.store.record(effects.Evicted(revoked))
		}
		s.store.record(effects.Added(known))
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

// FindSession implements auth.SessionStore.
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

// ListSessions implements auth.SessionStore.
func (s *Sessions) ListSessions(ctx context.Context, of user.ID) (all []session.Session, err error) {
	err = s.store.read(ctx, func() error {
		all = s.of(of)
		return nil
	})
	return all, err
}

// FindSessionState implements auth.SessionStateReader.
func (s *Sessions) FindSessionState(ctx context.Context, of user.ID, id user.SessionID) (found auth.SessionState, err error) {
	err = s.store.read(ctx, func() error {
		one, ok := s.find(of, id)
		u, err := s.store.userByID(of)
		if !ok || err != nil {
			return session.ErrNotFound
		}
		found = auth.SessionState{Lifetime: one.Lifetime, NewestSeen: one.Family.NewestSeen, UserEpoch: u.Epoch, Role: u.Role, Student: u.Student(), University: u.University(), Factors: one.Factors}
		for _, other := range s.of(of) {
			found.OtherUsedSince = found.OtherUsedSince || other.ID != id && !other.LastUsedAt.Before(one.LastUsedAt)
		}
		return nil
	})
	return found, err
}

// FindSessionLifetimes implements auth.SessionStateReader.
func (s *Sessions) FindSessionLifetimes(ctx context.Context, all []auth.SessionRef) (map[user.SessionID]auth.SessionLifetime, error) {
	found := map[user.SessionID]auth.SessionLifetime{}
	for _, ref := range all {
		state, err := s.FindSessionState(ctx, ref.User, ref.Session)
		switch {
		case err == nil:
			found[ref.Session] = auth.SessionLifetime{Lifetime: state.Lifetime, UserEpoch: state.UserEpoch}
		case !errors.Is(err, session.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}

// RotateToken implements auth.TokenRotator.
func (s *Sessions) RotateToken(ctx context.Context, p auth.PresentedToken, effects func(session.Session) auth.SideEffects) (now session.Session, outcome session.Outcome, err error) {
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
			s.store.record(effects(now))
		}
		return nil
	})
	return now, outcome, err
}

// TouchSession implements auth.TokenRotator.
func (s *Sessions) TouchSession(ctx context.Context, of user.ID, id user.SessionID, use auth.SessionUse) error {
	return s.store.atomically(ctx, func() error {
		one, ok := s.find(of, id)
		if !ok {
			return nil
		}
		one.Family.NewestSeen = max(one.Family.NewestSeen, use.TokenNumber)
		if use.At.After(one.LastUsedAt) {
			one.LastUsedAt, one.IP = use.At, use.IP
		}
		s.store.tables.auth.sessions[id] = one
		return nil
	})
}

// RevokeSessions implements auth.SessionRevoker.
func (s *Sessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t auth.SideEffects) (revoked int, err error) {
	err = s.store.atomically(ctx, func() error {
		for _, id := range ids {
			if one, ok := s.find(of, id); ok {
				s.end(one, now)
				revoked++
			}
		}
		if revoked > 0 {
			s.store.record(t)
		}
		return nil
	})
	return revoked, err
}

// ProveSession implements auth.SessionRevoker.
func (s *Sessions) ProveSession(ctx context.Context, of user.ID, id user.SessionID, at time.Time) error {
	return s.store.atomically(ctx, func() error {
		one, ok := s.find(of, id)
		if !ok {
			return session.ErrNotFound
		}
		one.ProvedAt = at
		s.store.tables.auth.sessions[id] = one
		return nil
	})
}

// RebindSession implements auth.SessionRevoker.
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

// RateLimiter implements auth.RateLimiter.
type RateLimiter struct{ store *Store }

// RateLimiter returns a view of the store.
func (s *Store) RateLimiter() *RateLimiter { return &RateLimiter{s} }

// AllowRequests implements auth.RateLimiter.
func (l *RateLimiter) AllowRequests(ctx context.Context, now time.Time, requests ...limit.Request) (wait time.Duration, err error) {
	err = l.store.atomically(ctx, func() error {
		next := make([]limit.State, len(requests))
		for i, r := range requests {
			var w time.Duration
			next[i], w = r.Rule.Allow(l.store.tables.auth.limits[r.Name], now)
			wait = max(wait, w)
		}
		if wait > 0 {
			return nil
		}
		for i, r := range requests {
			l.store.tables.auth.limits[r.Name] = next[i]
		}
		return nil
	})
	return wait, err
}

// CheckLimit implements auth.RateLimiter.
func (l *RateLimiter) CheckLimit(ctx context.Context, now time.Time, r limit.Request) (wait time.Duration, err error) {
	err = l.store.atomically(ctx, func() error {
		_, wait = r.Rule.Allow(l.store.tables.auth.limits[r.Name], now)
		return nil
	})
	return wait, err
}

// ResetLimit implements auth.RateLimiter.
func (l *RateLimiter) ResetLimit(ctx context.Context, name string) error {
	return l.store.atomically(ctx, func() error {
		delete(l.store.tables.auth.limits, name)
		return nil
	})
}
